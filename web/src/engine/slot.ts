// A slot shows the answer to its newest request. An answer that comes after a newer request was made is dropped.
import type { Answer } from './answer';
import type { Engine } from './engine';
import type { Request } from './request';

/** Why an older request has no answer any more. */
export const SUPERSEDED = Symbol('superseded');

export class Slot {
  private epoch = 0;
  private running: AbortController | undefined;

  /** Asks, and gives up what was asked before. Resolves to `SUPERSEDED` if something newer was asked meanwhile. */
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

  /** Gives up what was asked; its answer will be dropped. */
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
