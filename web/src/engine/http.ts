// The engine behind `whittle view` and `whittle-fleet serve`: one POST for each request.
import { type Answer, EngineError, errorOf, typed } from './answer';
import { decodeBinary } from './binary';
import type { Engine, ExperimentName, ReportOrder } from './engine';
import type { Request } from './request';
import type { NoteChange, UserNote } from './user_notes';
import type { Verification } from './verification';

export class HttpEngine implements Engine {
  readonly kind = 'server';

  constructor(private readonly token: Promise<string>) {}

  async ask(experiment: number, request: Request, signal?: AbortSignal): Promise<Answer> {
    const response = await this.fetch(`/api/answer?experiment=${experiment}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      ...(signal ? { signal } : {}),
    });
    return readAnswer(response);
  }

  experiments(): Promise<ExperimentName[]> {
    return this.json('/api/experiments');
  }

  verification(): Promise<Verification | null> {
    return this.json('/api/verification');
  }

  others(): Promise<string[]> {
    return this.json('/api/others');
  }

  async report(experiment: number, order: ReportOrder): Promise<string> {
    return (await this.json<{ html: string }>(`/api/experiment/report?experiment=${experiment}`, posted(order))).html;
  }

  async notes(experiment: number): Promise<UserNote[]> {
    return (await this.json<NotesFile>(notesPath(experiment))).notes;
  }

  async changeNotes(experiment: number, change: NoteChange): Promise<UserNote[]> {
    return (await this.json<NotesFile>(notesPath(experiment), posted(change))).notes;
  }

  /**
   * Sends any of the server's own requests, such as those of live collection. The path determines the type of the
   * answer.
   */
  async json<Value>(path: string, init: RequestInit = {}): Promise<Value> {
    const answer = await readAnswer(await this.fetch(path, init));
    if (answer.kind !== 'json') throw new EngineError(`the answer to ${path} is not JSON`, 'transport');
    return typed(answer.value);
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('X-Whittle-Token', await this.token);
    try {
      return await fetch(path, { ...init, headers });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new EngineError('No response from whittle. Is the program still running in its terminal?', 'transport');
    }
  }
}

function posted(body: object): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

interface NotesFile {
  notes: UserNote[];
}

function notesPath(experiment: number): string {
  return `/api/experiment/notes?experiment=${experiment}`;
}

async function readAnswer(response: Response): Promise<Answer> {
  const type = response.headers.get('Content-Type') ?? '';
  if (response.ok && type.startsWith('application/octet-stream')) return decodeBinary(await response.arrayBuffer());
  const text = await response.text();
  const value = parse(text);
  const error = errorOf(value);
  if (error) throw error;
  if (!response.ok || value === undefined) {
    throw new EngineError(`whittle answered ${response.status}: ${text.slice(0, 200)}`, 'transport');
  }
  return { kind: 'json', value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
