// axe checks every view, light and dark. There must be no serious violation.
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { Analyzer, addressOfFile, startBrowser } from './program';

const folder = inject('folder');
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const WRITE = encodeURIComponent('java.io.FileOutputStream.write(int)');
const STATES = [
  '#/home',
  `#/functions?sel=${WRITE}`,
  `#/callers-callees?c=${WRITE}`,
  '#/call-tree',
  '#/flame-graph?q=write',
  `#/sandwich?sel=${WRITE}`,
  '#/timeline?f=time+in+1s..2s',
  `#/source?sel=${WRITE}`,
  '#/syscalls',
  '#/threads',
  `#/function?sel=${WRITE}`,
];

it.each(['light', 'dark'] as const)('no serious violation: %s', { timeout: 240_000 }, async (appearance) => {
  const analyzer = await Analyzer.open(browser, addressOfFile(join(folder, 'slow.html')));
  onTestFinished(() => analyzer.close());
  if (appearance === 'dark') await analyzer.page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
  const found: string[] = [];
  for (const state of STATES) {
    await analyzer.link(state);
    const { violations } = await new AxeBuilder({ page: analyzer.page as never }).analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    found.push(...serious.map(({ id, nodes }) => `${state}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`));
  }
  expect(found).toEqual([]);
});
