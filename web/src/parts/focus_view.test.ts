import { afterEach, expect, test, vi } from 'vitest';
import { focusLostView } from './focus_view';

/** A page in which the view has a table. `active` has the focus. */
function page(active: 'body' | 'link') {
  const [body, link, table] = [{}, {}, { focus: vi.fn() }];
  vi.stubGlobal('document', {
    body,
    activeElement: active === 'body' ? body : link,
    getElementById: () => ({ querySelector: () => table }),
  });
  return table;
}

afterEach(() => vi.unstubAllGlobals());

test('the table of a new view gets the focus that its link lost', () => {
  const table = page('body');
  focusLostView();
  expect(table.focus).toHaveBeenCalledOnce();
});

test('a link outside of the view keeps the focus', () => {
  const table = page('link');
  focusLostView();
  expect(table.focus).not.toHaveBeenCalled();
});
