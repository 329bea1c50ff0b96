// Tests stack charts and the heat map of the timeline, and that a report file, which must be small, offers neither, nor lanes.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { Analyzer, addressOfFile, printed, startBrowser, View } from './program';

const folder = inject('folder');
const experiment = join(folder, 'slow.whittle');
/** A server with a pool of threads. */
const server = join(folder, 'http.whittle');

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Places over the width of a chart that are clicked until one has a box. */
const CLICKS = 40;

describe('served', () => {
  let view: View;
  let analyzer: Analyzer;

  beforeAll(async () => {
    view = await View.start(experiment);
  });
  afterAll(() => view.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, view.address);
  });
  afterEach(async () => {
    const { problems } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
  });

  const chart = () => analyzer.page.getByRole('complementary', { name: 'Stack chart' });
  const boxes = () => chart().getByRole('treegrid');
  /** The focused box in words. */
  const focused = async () => boxes().locator('[role="row"][aria-selected="true"]').innerText();

  it('shows the stack chart of a thread, by keys alone', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Timeline');
    await page.locator('.timeline-scroller').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('c');
    await chart().waitFor();
    await analyzer.settled();
    const thread = await page.locator('.timeline-name.is-focused .timeline-thread').innerText();
    expect(await chart().locator('.stack-chart-title').innerText()).toBe(`Stack chart of ${thread}`);
    await boxes().focus();
    await expect.poll(focused).toMatch(/ to .*%\s+of the shown time/);
    let root = await focused();
    await page.keyboard.press('ArrowDown');
    // A sample without a stack has one box. One of the next boxes has a callee.
    for (let box = 0; box < 20 && (await focused()) === root; box++) {
      await page.keyboard.press('ArrowRight');
      root = await focused();
      await page.keyboard.press('ArrowDown');
    }
    const callee = await focused();
    expect(callee).not.toBe(root);
    await page.keyboard.press('Space');
    const name = callee.replace(/\s*[\d.]+ s to .*$/s, '');
    expect(name).not.toBe('');
    expect(await page.locator('.strip').innerText()).toContain(name);
    // Enter shows the time of the box, also in the strips.
    await page.keyboard.press('Enter');
    await analyzer.settled();
    expect(page.url()).toContain('timeline.from');
    // A link shows the same chart. Without it, there is none.
    await page.reload();
    await chart().waitFor();
    await chart().getByRole('button', { name: 'Close the stack chart' }).click();
    await expect.poll(() => chart().count()).toBe(0);
  });

  it('shows the stack chart next to the stack of a moment', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Timeline');
    const canvas = (await page.locator('.timeline-canvas').boundingBox())!;
    await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + 12);
    const pane = page.getByRole('complementary', { name: 'Stack', exact: true });
    await pane.getByRole('button', { name: 'Stack chart' }).click();
    await chart().waitFor();
    await analyzer.settled();
    // A click selects a function, and its menu has the actions. Between sampled times, the chart is empty.
    const area = (await boxes().boundingBox())!;
    const menu = page.getByRole('menuitem', { name: /Callers and callees/ });
    for (let part = 1; part < CLICKS && (await menu.count()) === 0; part += 1) {
      await page.mouse.click(area.x + (area.width * part) / CLICKS, area.y + 8, { button: 'right' });
      await analyzer.settled();
    }
    expect(await menu.count()).toBe(1);
  });

  it('selects a moment and a time range in the heat map', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Timeline');
    await page.getByRole('button', { name: 'Heat map', exact: true }).click();
    await analyzer.settled();
    const map = page.getByRole('grid', { name: /^Heat map of CPU/ });
    await expect.poll(async () => Number(await map.getAttribute('aria-colcount'))).toBeGreaterThan(3);
    expect(await map.getAttribute('aria-rowcount')).toBe('50');
    expect(page.url()).toContain('timeline.picture=heat-map');
    const canvas = (await map.locator('canvas').boundingBox())!;
    await page.mouse.click(canvas.x + 2, canvas.y + canvas.height - 2);
    await page.locator('.chip').waitFor();
    expect(await page.locator('.chip').innerText()).toMatch(/^time 0/);
    // A drag over columns selects everything between both cells.
    await page.mouse.move(canvas.x + 2, canvas.y + canvas.height - 2);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + 4, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => page.locator('.chip').innerText()).toMatch(/ to [1-9]/);
    await analyzer.goTo('Functions');
    expect((await analyzer.rows('Functions')).length).toBeGreaterThan(1);
  });

  it('selects in the heat map by keys alone, and exports it as the command prints it', async () => {
    const { page } = analyzer;
    await analyzer.link('#/timeline?o.timeline.picture=heat-map');
    const map = page.locator('.heat-map');
    await map.focus();
    for (const key of ['Home', 'ArrowUp', 'Shift+ArrowRight']) await page.keyboard.press(key);
    await expect.poll(() => page.locator('#heat-map-cell').innerText()).toMatch(/^1\.02 s to 1\.04 s: .* CPU/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.chip').innerText()).toMatch(/ to 1\.04/);
    await map.focus();
    await page.keyboard.press('Backspace');
    await expect.poll(() => page.locator('.chip').count()).toBe(0);
    const words = ['heat-map', experiment, '--metrics', 'cpu', '--columns', '120', '--rows', '20'];
    expect((await analyzer.savedText()).trimEnd()).toBe(printed(...words).trimEnd());
  });
});

describe('the stack chart of a group', () => {
  let view: View;
  let analyzer: Analyzer;

  beforeAll(async () => {
    view = await View.start(server);
  });
  afterAll(() => view.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, view.address);
    await analyzer.goTo('Timeline');
  });
  afterEach(async () => {
    const { problems } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
  });

  const chart = () => analyzer.page.getByRole('complementary', { name: 'Stack chart' });
  const title = () => chart().locator('.stack-chart-title').innerText();
  const rule = () => chart().locator('.stack-chart-rule').innerText();
  const words = (count: string) => `the stack with the most CPU time of ${count} threads; waits where no thread ran`;

  it('shows a pool, by keys alone', async () => {
    const { page } = analyzer;
    await page.locator('.timeline-scroller').focus();
    const focused = page.locator('.timeline-name.is-focused .timeline-thread');
    const name = async () => ((await focused.count()) === 0 ? '' : focused.getAttribute('title'));
    for (let press = 0; press < CLICKS && !/ threads\)$/.test((await name()) ?? ''); press++) {
      await page.keyboard.press(press === 0 ? 'ArrowRight' : 'ArrowDown');
    }
    const [, pool, count] = /^(.*) \((\d+) threads\)$/.exec((await name()) ?? '')!;
    await page.keyboard.press('c');
    await chart().waitFor();
    await analyzer.settled();
    expect(page.url()).toContain('timeline.chart=pool.');
    expect([await title(), await rule()]).toEqual([`Stack chart of ${pool}`, words(count!)]);
    await chart().getByRole('treegrid').focus();
    const box = chart().locator('[role="row"][aria-selected="true"]');
    await expect.poll(() => box.innerText()).toMatch(/ to .*%\s+of the shown time/);
    // A link shows the same chart.
    await page.reload();
    await chart().waitFor();
    await expect.poll(title).toBe(`Stack chart of ${pool}`);
  });

  it('shows the threads that the search keeps, and one of them with its exact times', async () => {
    const { page } = analyzer;
    await page.getByRole('button', { name: 'Stack chart of all threads' }).click();
    await chart().waitFor();
    await expect.poll(title).toBe('Stack chart of all threads');
    const all = await rule();
    const found = page.getByRole('searchbox', { name: 'Find threads' });
    await found.fill('client');
    await expect.poll(title).toBe('Stack chart of threads named "client"');
    expect(await rule()).toBe(words('16'));
    expect(all).not.toBe(words('16'));
    await found.fill('client-3');
    await expect.poll(title).toBe('Stack chart of client-3');
    expect(await chart().locator('.stack-chart-rule').count()).toBe(0);
  });

  it('shows the idle threads, with the button of their row', async () => {
    const { page } = analyzer;
    await page.locator('.timeline-scroller').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
    const idle = page.locator('.timeline-name', { hasText: /\d+ idle threads/ });
    // The chart takes a part of the screen, so the row can leave it.
    const count = /^\d+/.exec(await idle.locator('.timeline-thread').innerText())![0];
    await idle.hover();
    await idle.getByRole('button', { name: 'Stack chart' }).click();
    await chart().waitFor();
    await expect.poll(title).toBe('Stack chart of idle threads');
    expect(await rule()).toBe(words(count));
  });
});

it('offers neither in a report file', async () => {
  const analyzer = await Analyzer.open(browser, addressOfFile(join(folder, 'slow.html')));
  onTestFinished(() => analyzer.close());
  await analyzer.link('#/timeline?o.timeline.picture=heat-map&o.timeline.chart=0');
  await expect.poll(() => analyzer.page.locator('.timeline-name').count()).toBeGreaterThan(1);
  expect(await analyzer.page.getByRole('button', { name: 'Heat map' }).count()).toBe(0);
  expect(await analyzer.page.getByRole('button', { name: 'Stack chart' }).count()).toBe(0);
  expect(await analyzer.page.locator('.lane, .counter-menu').count()).toBe(0);
  expect(analyzer.problems).toEqual([]);
});
