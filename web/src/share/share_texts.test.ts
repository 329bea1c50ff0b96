import { expect, test } from 'vitest';
import { INITIAL } from '../state/app_state';
import { decodeState } from '../state/codec';
import { reportName, shareTexts, stateAlone } from './share_texts';

const STATE = { ...INITIAL, view: 'functions', experiment: 2, filter: ['thread = "it\'s me"'], note: 'old' };
const PAGE = 'http://127.0.0.1:7070/';

test('link and commands open the same view with the note', () => {
  const { link, view, report } = shareTexts(STATE, ' look\nhere ', { page: PAGE, path: '/my runs/app.whittle' });
  expect(decodeState(new URL(link).hash)).toEqual({ ...STATE, note: 'look\nhere' });
  const hash = '#/functions?f=thread+%3D+%22it%27s+me%22&note=look%0Ahere';
  expect(stateAlone(STATE, 'look\nhere')).toBe(hash);
  expect(view).toBe(`whittle view app.whittle --at '${hash}'`);
  expect(report).toBe(`whittle report '/my runs/app.whittle' -o app.html --at '${hash}'`);
});

test('a comparison has only a link, and a link without a note has none', () => {
  const texts = shareTexts(STATE, '', { page: PAGE, path: '' });
  expect([texts.view, texts.report]).toEqual([null, null]);
  expect(texts.link).not.toContain('note');
});

test('a report has the name of its experiment', () => {
  expect(reportName('/x/a.b.whittle')).toBe('a.b.html');
});
