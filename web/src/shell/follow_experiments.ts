// Follows the list of experiments while one of them grows, and reports when the shown experiment has grown.
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Engine, ExperimentName } from '../engine/engine';
import { isSame } from '../state/same';

const POLL_MS = 2000;

interface Followed {
  /** Undefined until the list is known. */
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
      // Errors of the server are ignored here, because the views report them.
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
