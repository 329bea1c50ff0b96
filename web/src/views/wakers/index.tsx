// Who made threads wait: waiters, the threads that ended their waits, and what these threads did meanwhile.
import type { ViewDefinition } from '../../view';
import { WaitTree } from './wait_tree';

export const view: ViewDefinition = {
  name: 'wakers',
  title: 'Wakers',
  question: 'Who made threads wait, and what did these threads do meanwhile?',
  key: 'u',
  order: 94,
  group: 'time',
  component: () => (
    <WaitTree
      view="wakers"
      title="Wakers"
      head="Who waits, who woke it, and what that thread did meanwhile"
      known="Who ended the wait"
    />
  ),
  missing: (experiment) =>
    experiment.comparison
      ? 'Wakers of two versions are not compared. Open one of the experiments to see its wakers'
      : (experiment.no_wakers ?? undefined),
};
