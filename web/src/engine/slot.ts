// A slot shows the answer to its newest request. It drops the answers to older requests.
import type { Answer } from './answer';
import type { Engine } from './engine';
import type { Request } from './request';

/** The result of an older request. */
export const SUPERSEDED = Symbol('superseded');

export class Slot {
  private epoch = 0;
  private running: AbortController | undefined;

  /**
   * Sends a request and cancels the previous one. Resolves to `SUPERSEDED` if another request is sent before the answer
   * arrives.
   */
  async ask(engine: Pick<Engine, 'ask'>, experiment: number, request: Request): Promise<Answer | typeof SUPERSEDED> {
    const epoch = this.next();
    const controller = new AbortController();
    this.running = controller;
    try {
      const answer = await engine.ask(experiment, request, controller.signal);
      return epoch === this.epoch ? answer : SUPERSEDED;
    } catch (error) {
      if (epoch !== this.epoch) return SUPERSEDED;
      throw error;
    }
  }

  /** Cancels the request and drops its answer. */
  cancel(): void {
    this.next();
  }

  private next(): number {
    this.running?.abort();
    this.running = undefined;
    this.epoch += 1;
    return this.epoch;
  }
}
