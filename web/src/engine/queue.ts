// Runs one task at a time, in the order of arrival. If a task is cancelled before it starts, it never runs.

interface Waiting<Task, Result> {
  task: Task;
  signal: AbortSignal | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class Queue<Task, Result> {
  private readonly waiting: Waiting<Task, Result>[] = [];
  private isRunning = false;

  constructor(private readonly run: (task: Task) => Promise<Result>) {}

  add(task: Task, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ task, signal, resolve, reject });
      void this.next();
    });
  }

  private async next(): Promise<void> {
    if (this.isRunning) return;
    const first = this.waiting.shift();
    if (!first) return;
    if (first.signal?.aborted) {
      first.reject(new DOMException('superseded', 'AbortError'));
    } else {
      this.isRunning = true;
      try {
        first.resolve(await this.run(first.task));
      } catch (error) {
        first.reject(error);
      } finally {
        this.isRunning = false;
      }
    }
    await this.next();
  }
}
