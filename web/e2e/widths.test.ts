// Tests that nothing is cut off in narrow and wide windows: numbers, names and the page itself. Also the tooltip and the
// completion of filters.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Analyzer, startBrowser, View } from './program';

const folder = inject('folder');
const CALLER = encodeURIComponent('whittle.workloads.crc.slow.ExtOutputStream.write(int)');
const VIEWS = [
  'home',
  'functions',
  `callers-callees?c=${CALLER}`,
  'call-tree',
  'flame-graph',
  `source?sel=${CALLER}`,
  `function?sel=${CALLER}`,
  'threads',
  'syscalls',
  'timeline',
  'requests',
  'wakers',
  'locks',
];

let browser: Browser;
let view: View;
let analyzer: Analyzer;
beforeAll(async () => {
  browser = await startBrowser();
  view = await View.start(join(folder, 'slow.whittle'));
});
afterAll(async () => {
  await browser.close();
  await view.stop();
});
beforeEach(async () => {
  analyzer = await Analyzer.open(browser, view.address);
});
afterEach(async () => {
  const { problems } = analyzer;
  await analyzer.close();
  expect(problems).toEqual([]);
});

describe.each([390, 1280, 1920, 2560])('%s pixels', (width) => {
  it.each(VIEWS)('cuts off nothing: %s', async (link) => {
    const { page } = analyzer;
    await page.setViewportSize({ width, height: 844 });
    await analyzer.link(`#/${link}`);
    const wider = await page.evaluate(() =>
      [document.documentElement, document.querySelector('#view')!].some((each) => each.scrollWidth > each.clientWidth + 1),
    );
    expect(wider).toBe(false);
    const cut = await page
      .locator('.cell.number .cell-text')
      .evaluateAll((texts) =>
        texts.filter((text) => text.scrollWidth > text.parentElement!.clientWidth).map((text) => text.textContent),
      );
    expect(cut).toEqual([]);
    const names = await page
      .locator('.cell.name:not(.number)')
      .evaluateAll((cells) =>
        cells.map((cell) => [cell.getBoundingClientRect().width, cell.parentElement!.firstElementChild === cell]),
      );
    expect(names.every(([size, isFirst]) => Number(size) >= 148 && isFirst)).toBe(true);
  });
});

it('keeps deep rows of the call tree and the buttons of the timeline on screen', async () => {
  const { page } = analyzer;
  await page.setViewportSize({ width: 390, height: 844 });
  await analyzer.link('#/call-tree?m=machine');
  const rows = page.locator('.tree-body .tree-row');
  const deep = await rows.evaluateAll((all) =>
    all.map((row) => ({
      level: Number(row.getAttribute('aria-level')),
      shown: row.querySelector('.tree-depth')?.textContent,
      left: row.querySelector('.name-own')!.getBoundingClientRect().left,
    })),
  );
  const deepest = deep.reduce((one, other) => (other.level > one.level ? other : one));
  expect(deepest.level).toBeGreaterThan(9);
  expect(deepest.shown).toBe(String(deepest.level - 1));
  expect(deep.every(({ left }) => left < 390 - 100)).toBe(true);

  await analyzer.link('#/timeline?o.timeline.idle=open');
  const name = page.locator('.timeline-name', { has: page.locator('.timeline-chart') }).first();
  await name.hover();
  const [button, column] = await Promise.all([name.locator('.timeline-chart').boundingBox(), name.boundingBox()]);
  expect(button!.x + button!.width).toBeLessThanOrEqual(column!.x + column!.width - 4);
  const cut = await page
    .locator('.timeline-thread')
    .evaluateAll((names) => names.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent));
  expect(cut).toEqual([]);
});

it('names the columns that do not fit, and shows them on request', async () => {
  const { page } = analyzer;
  await page.setViewportSize({ width: 390, height: 844 });
  await analyzer.link('#/functions');
  const headings = () => page.getByRole('grid', { name: 'Functions' }).getByRole('columnheader').allInnerTexts();
  const few = await headings();
  await page.getByRole('button', { name: 'Show all columns' }).click();
  const all = await headings();
  expect(all.length).toBeGreaterThan(few.length);
  const name = page.locator('.cell.name').first();
  const left = (await name.boundingBox())!.x;
  await page.locator('.table').evaluate((table) => table.scrollTo(400, 0));
  expect((await name.boundingBox())!.x).toBe(left);
  await page.getByRole('button', { name: 'Hide what does not fit' }).click();
  expect(await headings()).toEqual(few);
});

it('shows the whole name, the package and the place in a tooltip', async () => {
  const { page } = analyzer;
  await analyzer.link('#/functions?sort=i.cpu');
  await page.locator('.table-row', { hasText: 'ExtOutputStream.write(int)' }).first().hover();
  const tooltip = page.locator('.pointer-tooltip');
  await tooltip.getByText('ExtOutputStream.java').waitFor();
  const text = await tooltip.innerText();
  expect(text).toContain('whittle.workloads.crc.slow.ExtOutputStream.write(int)');
  expect(text).toContain('Package whittle.workloads.crc.slow');
  expect(text).toMatch(/Inclusive CPU\s+[\d.]+ s \([\d.]+ %\)/);
  await page.keyboard.press('Escape');
  await tooltip.waitFor({ state: 'detached' });
});

it('completes fields, threads and functions, and takes names without quotes', async () => {
  const { page } = analyzer;
  await analyzer.link('#/functions');
  const box = page.getByRole('combobox', { name: 'Add a filter or a transform' });
  await box.fill('th');
  await box.press('Tab');
  expect(await box.inputValue()).toBe('thread = ');
  await box.pressSequentially('crc');
  await page.getByRole('option', { name: 'crc-writer' }).waitFor();
  await box.press('ArrowDown');
  await box.press('Enter');
  expect(await box.inputValue()).toBe('thread = "crc-writer"');
  await box.fill('stack has ExtOut');
  await page.getByRole('option', { name: 'ExtOutputStream.write(int)' }).first().waitFor();
  await box.fill('thread=crc-writer');
  await box.press('Enter');
  await expect.poll(() => page.locator('.chip').innerText()).toContain('thread crc-writer');
});
