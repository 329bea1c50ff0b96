// Live collection through the server of `whittle view`.
import type { HttpEngine } from './http';

export interface Process {
  process_id: number;
  kind: 'jvm' | 'native';
  name: string;
  command: string;
  user: string;
  jdk: string | null;
  uptime_ns: number;
  /** Why the program cannot be collected; null if it can. */
  obstacle: string | null;
}

export interface Processes {
  processes: Process[];
  /** The folder for new experiments. */
  directory: string;
}

export interface Collection {
  id: number;
  process_id: number;
  name: string;
  path: string;
  state: 'starting' | 'running' | 'stopping' | 'complete' | 'failed';
  elapsed_ns: number;
  sample_count: number;
  closure_ratio: number | null;
  /** Number of the experiment in requests; null until the experiment has samples. */
  experiment: number | null;
  /** Grows each time the experiment is read again. */
  revision: number;
  error: string | null;
  log: string[];
}

/** The options of `whittle collect`. A missing option has the default of the command line. */
export interface CollectionOptions {
  interval_ms?: number;
  events?: string;
  duration_s?: number;
  name?: string;
  comment?: string;
}

export class LiveCollection {
  constructor(private readonly engine: HttpEngine) {}

  processes(all: boolean): Promise<Processes> {
    return this.engine.json(`/api/live/processes${all ? '?all=1' : ''}`);
  }

  async status(): Promise<Collection[]> {
    return (await this.engine.json<{ collections: Collection[] }>('/api/live/status')).collections;
  }

  start(processId: number, options: CollectionOptions = {}): Promise<unknown> {
    return this.post('/api/live/start', { process_id: processId, ...options });
  }

  stop(id: number): Promise<unknown> {
    return this.post('/api/live/stop', { id });
  }

  private post(path: string, body: unknown): Promise<unknown> {
    return this.engine.json(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}
