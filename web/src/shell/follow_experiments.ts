// Follows the list of experiments while one of them grows, and tells when the one that is shown has grown.
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Engine, ExperimentName } from '../engine/engine';

const POLL_MS = 2000;

interface Followed {
  /** Undefined until it is known. */
  experiments: Accessor<readonly ExperimentName[] | undefined>;
  reload(): Promise<void>;
}

export function followExperiments(engine: Engine, shown: Accessor<number>, onGrowth: () => void): Followed {
  const [experiments, setExperiments] = createSignal<readonly ExperimentName[] | undefined>(undefined, { equals: isSame });
  const reload = async () => {
    try {
      const newest = await engine.experiments();
      const before = experiments()?.[shown()]?.revision;
      setExperiments(newest);
      const after = newest[shown()]?.revision;
      if (before !== undefined && after !== before) onGrowth();
    } catch {
      // The views say what is wrong with the server.
    }
  };
  void reload();
  createEffect(() => {
    if (!experiments()?.some((each) => typeof each.live === 'number' && each.state !== 'complete')) return;
    const timer = setInterval(() => void reload(), POLL_MS);
    onCleanup(() => clearInterval(timer));
  });
  return { experiments, reload };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
