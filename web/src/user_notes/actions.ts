// The action that writes a note on a function.
import type { App } from '../app';
import type { FunctionAction } from '../parts/function_actions';

/** Empty if the shown experiment can have no notes. */
export function noteActions(app: App): FunctionAction[] {
  if (!app.userNotes.isOffered()) return [];
  return [
    {
      key: 'n',
      title: 'Write a note',
      group: 'note',
      fits: ({ name }) => name !== '<Total>',
      run: (_, { name }) => app.userNotes.write({ function: name, text: '' }),
    },
  ];
}
