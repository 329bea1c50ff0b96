// Profiled programs determine the names, so a name can contain anything. The page must show each name as text.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Analyzer, addressOfFile, startBrowser, View } from './program';

const folder = inject('folder');
let browser: Browser;
let view: View;
beforeAll(async () => {
  browser = await startBrowser();
  view = await View.start(join(folder, 'hostile.whittle'));
});
afterAll(async () => {
  await view.stop();
  await browser.close();
});

const VIEWS = ['home', 'functions', 'callers-callees', 'call-tree', 'flame-graph', 'sandwich', 'source', 'function', 'threads'];

it.each(['served', 'report file'])('a method named like markup is shown as text: %s', async (kind) => {
  const analyzer = await Analyzer.open(browser, kind === 'served' ? view.address : addressOfFile(join(folder, 'hostile.html')));
  const { page } = analyzer;
  const name = await analyzer.link('#/functions').then(async () => {
    const rows = await analyzer.rows('Functions');
    return rows.map((row) => row.at(-1) ?? '').find((cell) => cell.includes('onerror'));
  });
  expect(name).toContain('<img');
  for (const each of VIEWS) {
    await analyzer.link(`#/${each}?sel=${encodeURIComponent(name ?? '')}&q=img`);
    await page.waitForTimeout(200);
    expect(await page.evaluate(() => (window as { wasHit?: number }).wasHit)).toBeUndefined();
    expect(await page.locator('img, b:text("bold")').count()).toBe(0);
  }
  expect(analyzer.problems.filter((problem) => /dialog|Content Security/.test(problem))).toEqual([]);
  await analyzer.close();
});
