// The locks that threads waited for, the threads that held them, and what the holders did meanwhile.
import type { ViewDefinition } from '../../view';
import { WaitTree } from '../wakers/wait_tree';

export const view: ViewDefinition = {
  name: 'locks',
  title: 'Locks',
  question: 'Which locks did threads wait for, and what did the holders do meanwhile?',
  key: 'k',
  order: 96,
  group: 'time',
  component: () => (
    <WaitTree view="locks" title="Locks" head="Lock, who held it, and what the holder did meanwhile" known="The holder" />
  ),
  missing: (experiment) =>
    experiment.comparison
      ? 'Locks of two versions are not compared. Open one of the experiments to see its locks'
      : (experiment.no_wakers ?? undefined),
};
