// Tests the timeline: zooming and panning, the activity graph and the minimap, the search for threads, idle threads, names, lanes,
// counters.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { OverviewView } from '../src/engine/answers';
import { Analyzer, printed, startBrowser, View } from './program';

/** A server with a pool of threads. The engine `kernel` knows which threads are idle. */
const experiment = join(inject('folder'), 'http.whittle');

let browser: Browser;
let view: View;
let analyzer: Analyzer;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  view = await View.start(experiment);
});
afterAll(async () => {
  await view.stop();
  await browser.close();
});
beforeEach(async () => {
  analyzer = await Analyzer.open(browser, view.address);
  page = analyzer.page;
  await analyzer.goTo('Timeline');
});
afterEach(async () => {
  const { problems } = analyzer;
  await analyzer.close();
  expect(problems).toEqual([]);
});

/** The shown range in the address, in nanoseconds. Undefined: the whole run. */
function shownRange(): { from: number; to: number } | undefined {
  const words = new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
  const [from, to] = ['o.timeline.from', 'o.timeline.to'].map((key) => words.get(key));
  return from && to ? { from: Number(from), to: Number(to) } : undefined;
}

const length = () => {
  const range = shownRange();
  return range ? range.to - range.from : Number.POSITIVE_INFINITY;
};

const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
const names = () => page.locator('.timeline-thread').allInnerTexts();
const rowCount = async () => Number(await page.locator('.timeline-scroller').getAttribute('aria-rowcount'));

describe('the shown time', () => {
  it('is zoomed by the wheel with Ctrl, as one step of the history', async () => {
    const canvas = await boxOf('.timeline-canvas');
    const steps = await page.evaluate(() => history.length);
    await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + 20);
    await page.keyboard.down('Control');
    for (let turn = 0; turn < 5; turn++) await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await expect.poll(shownRange).toBeDefined();
    expect(await page.evaluate(() => history.length)).toBe(steps + 1);
    await page.goBack();
    await expect.poll(shownRange).toBeUndefined();
  });

  it('is zoomed by the wheel over the activity graph, and panned with Shift', async () => {
    const graph = await boxOf('.activity canvas[role="img"]');
    await page.mouse.move(graph.x + 20, graph.y + 20);
    for (let turn = 0; turn < 5; turn++) await page.mouse.wheel(0, -100);
    await expect.poll(shownRange).toBeDefined();
    const before = shownRange()!;
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 300);
    await page.keyboard.up('Shift');
    await expect.poll(() => shownRange()!.from).toBeGreaterThan(before.from);
    expect(length()).toBe(before.to - before.from);
  });

  it('is zoomed and panned by keys', async () => {
    await page.locator('.timeline-scroller').focus();
    await page.keyboard.press('w');
    await expect.poll(shownRange).toBeDefined();
    const zoomed = shownRange()!;
    await page.keyboard.press('d');
    await expect.poll(() => shownRange()!.from).toBeGreaterThan(zoomed.from);
    await page.keyboard.press('a');
    // Both steps round to whole nanoseconds.
    await expect.poll(() => Math.abs(shownRange()!.from - zoomed.from)).toBeLessThanOrEqual(1);
    await page.keyboard.press('s');
    await expect.poll(shownRange).toBeUndefined();
  });

  it('is zoomed around a typed time, to which the cursor moves', async () => {
    const field = page.getByRole('textbox', { name: 'Go to time' });
    await page.locator('.timeline-scroller').focus();
    await page.keyboard.press('j');
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type('1.25 s');
    await page.keyboard.press('Enter');
    await expect.poll(shownRange).toEqual({ from: 0.75e9, to: 1.75e9 });
    await expect.poll(() => page.locator('.strip').innerText()).toContain('1.25');
    // The focus is in the threads, where arrow keys move the cursor.
    expect(await page.locator('.timeline-scroller').evaluate((rows) => rows === document.activeElement)).toBe(true);
    expect(await page.locator('.timeline-name.is-focused').count()).toBe(1);
  });

  it('is not changed by a text that is no time, or by a time after the end', async () => {
    const field = page.getByRole('textbox', { name: 'Go to time' });
    for (const [text, words] of [
      ['soon', 'Write a time'],
      ['5 h', 'The run ends at'],
    ] as const) {
      await field.fill(text);
      await field.press('Enter');
      await expect.poll(() => page.locator('.spoken').innerText()).toContain(words);
      expect(shownRange()).toBeUndefined();
    }
  });

  it('never becomes shorter than a microsecond', async () => {
    await page.locator('.timeline-scroller').focus();
    for (let press = 0; press < 50; press++) await page.keyboard.press('w');
    await expect.poll(length).toBe(1000);
    await analyzer.settled();
    expect(await page.locator('.failure').count()).toBe(0);
  });

  it('is chosen and moved in the minimap', async () => {
    const drag = async (from: number, to: number) => {
      // The button that shows all of the time moves the minimap.
      const map = await boxOf('.minimap');
      await page.mouse.move(map.x + map.width * from, map.y + 10);
      await page.mouse.down();
      await page.mouse.move(map.x + map.width * to, map.y + 10, { steps: 4 });
      await page.mouse.up();
    };
    await drag(0.2, 0.4);
    await expect.poll(shownRange).toBeDefined();
    const chosen = shownRange()!;
    await drag(0.3, 0.6);
    await expect.poll(() => shownRange()!.from).toBeGreaterThan(chosen.from);
    const moved = shownRange()!;
    expect(moved.to - moved.from).toBe(chosen.to - chosen.from);
    expect((moved.from - chosen.from) / (chosen.to - chosen.from)).toBeCloseTo(1.5, 1);
  });

  it('is not changed by a drag in the strips, which selects a range', async () => {
    const canvas = await boxOf('.timeline-canvas');
    await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + 12);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width * 0.5, canvas.y + 14, { steps: 4 });
    await page.mouse.up();
    await page.locator('.chip').waitFor();
    expect(shownRange()).toBeUndefined();
  });
});

describe('the rows', () => {
  it('are reduced by a search for names', async () => {
    const all = await rowCount();
    const found = page.getByRole('searchbox', { name: 'Find threads' });
    await found.fill('MAIN');
    await expect.poll(rowCount).toBeLessThan(all);
    expect((await names()).every((name) => name.toLowerCase().includes('main'))).toBe(true);
    expect(await page.getByText(/^\d+ rows? found$/).count()).toBe(1);
    await found.fill('no such thread');
    await page.getByText('No thread has this name', { exact: true }).waitFor();
    await found.fill('');
    await expect.poll(rowCount).toBe(all);
  });

  it('fold idle threads, which open', async () => {
    const closed = await rowCount();
    const idle = page.locator('.timeline-name', { hasText: /\d+ idle threads/ });
    await page.locator('.timeline-scroller').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
    await expect.poll(async () => (await names()).at(-1)).toMatch(/^\d+ idle threads$/);
    await idle.locator('.timeline-open button').click();
    await expect.poll(rowCount).toBeGreaterThan(closed);
    await idle.locator('.timeline-open button').click();
    await expect.poll(rowCount).toBe(closed);
  });

  it('are grouped by process, state or package', async () => {
    const groupBy = page.getByLabel('Group by');
    const pools = await rowCount();
    await groupBy.selectOption('process');
    await page.getByText('All threads are of one process', { exact: true }).waitFor();
    expect(await rowCount()).toBe(pools);
    await groupBy.selectOption('none');
    await expect.poll(rowCount).toBeGreaterThan(pools);
    expect(await names()).not.toContainEqual(expect.stringContaining('#'));
    await groupBy.selectOption('package');
    await expect.poll(async () => (await names())[0]).toMatch(/\(\d+( threads?)?\)$/);
    const closed = await rowCount();
    await page.locator('.timeline-open button').first().click();
    await expect.poll(rowCount).toBeGreaterThan(closed);
    await page.locator('.timeline-name .timeline-chart').first().click();
    await page.getByText(/^Stack chart of /).waitFor();
    await page.getByRole('button', { name: 'Close the stack chart' }).click();
    await page.reload();
    await expect.poll(rowCount).toBeGreaterThan(closed);
    await groupBy.selectOption('state');
    const states = /^(user CPU|system CPU|waits for a CPU|socket|poll|futex|sleep|other waiting) \(\d+( threads?)?\)$/;
    await expect.poll(async () => (await names())[0]).toMatch(states);
    await groupBy.selectOption('pool');
    await expect.poll(() => page.url()).toContain('timeline.group=pool');
  });

  it('have names with a width that the user can change', async () => {
    const canvas = await boxOf('.timeline-canvas');
    const edge = await boxOf('.name-divider');
    await page.mouse.move(edge.x + 3, edge.y + 200);
    await page.mouse.down();
    await page.mouse.move(edge.x + 103, edge.y + 200, { steps: 3 });
    await page.mouse.up();
    await expect.poll(async () => (await boxOf('.timeline-canvas')).x - canvas.x).toBeCloseTo(100, 0);
    await expect.poll(() => page.url()).toContain('timeline.names');
    await page.getByRole('separator', { name: 'Width of the names' }).focus();
    for (let press = 0; press < 40; press++) await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await names()).some((name) => /^.*….+$/.test(name))).toBe(true);
  });
});

describe('the lanes', () => {
  const lane = (title: string) => page.getByRole('listbox', { name: new RegExp(`^${title}`) });
  const strip = () => page.locator('.strip').innerText();
  const band = () => page.locator('.track-band');
  const chips = () => page.locator('.chip').allInnerTexts();
  const pane = (name: string) => page.getByRole('complementary', { name, exact: true });

  it('show the requests; the one under the pointer is marked in all tracks', async () => {
    const canvas = (await lane('Requests').locator('canvas').boundingBox())!;
    await expect
      .poll(async () => {
        for (let step = 1; step < 20 && (await band().count()) === 0; step++) {
          await page.mouse.move(canvas.x + (canvas.width * step) / 20, canvas.y + canvas.height - 2);
        }
        return band().count();
      })
      .toBe(1);
    expect(await strip()).toMatch(/^(GET|POST) [\s\S]*Length/);
    const [marked, all] = [await boxOf('.track-band'), await boxOf('.timeline')];
    expect(marked.height).toBeCloseTo(all.height, 0);
    await page.mouse.move(canvas.x + 40, canvas.y + 200);
    await expect.poll(() => band().count()).toBe(0);
  });

  it('keep the details of a request, which filter by its time and its thread, by keys alone', async () => {
    await lane('Requests').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => lane('Requests').getByRole('option').innerText()).toMatch(/^(GET|POST) .*, Length /);
    await page.keyboard.press('Enter');
    expect(await chips()).toEqual([]);
    await pane('Request').getByRole('button', { name: 'Show only this time and thread' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(chips).toHaveLength(2);
    expect((await chips()).join()).toMatch(/time .*thread/s);
  });

  it('show the stops of the JVM, and keep the details of one, which filter by its time', async () => {
    const { stopped } = JSON.parse(printed('pauses', experiment, '--json')) as { stopped: { events_count: number } };
    expect(stopped.events_count).toBeGreaterThan(0);
    await lane('Stops of the JVM').focus();
    await page.keyboard.press('End');
    await expect.poll(() => band().count()).toBe(1);
    expect(await strip()).toContain('stops all threads');
    await page.keyboard.press('Enter');
    // The details and the mark remain, and there is no filter.
    const details = pane('Stop of the JVM');
    expect(await details.innerText()).toMatch(/Length[\s\S]*Time[\s\S]*stops all threads/);
    await lane('Stops of the JVM').blur();
    expect(await band().count()).toBe(1);
    expect(await chips()).toEqual([]);
    await details.getByRole('button', { name: 'Show only this time' }).click();
    await expect.poll(chips).toHaveLength(1);
    await details.getByRole('button', { name: 'Close the details' }).click();
    await expect.poll(() => band().count()).toBe(0);
  });
});

it('is opened around the longest stop of the JVM by a link of the overview', async () => {
  await analyzer.goTo('Overview');
  const { safepoints } = JSON.parse(printed('overview', experiment, '--json')) as Pick<OverviewView, 'safepoints'>;
  const { events_count, longest_ns } = safepoints!;
  const head = page.locator('.home-stops');
  expect(await head.innerText()).toContain(`stopped all threads ${events_count} time`);
  await head.getByRole('link', { name: /^The longest stop took .*, at \d+\.\d{3} s: \w/ }).click();
  await analyzer.settled();
  // Both ends are rounded to nanoseconds.
  expect(length()).toBeLessThanOrEqual(20 * longest_ns + 1);
  await page.getByRole('listbox', { name: /^Stops of the JVM/ }).focus();
  await page.keyboard.press('End');
  await page.locator('.track-band').waitFor();
});

describe('the counters', () => {
  const counters = () => page.locator('.counter').count();

  it('are chosen in a menu, and the address contains the choice', async () => {
    const before = await counters();
    expect(before).toBeGreaterThan(1);
    await page.locator('.counter-menu summary').click();
    const shown = page.locator('.counter-menu input:checked');
    const title = await page.locator('.counter-menu label').first().innerText();
    await shown.first().uncheck();
    await expect.poll(counters).toBe(before - 1);
    expect(await page.locator('.counter-name').allInnerTexts()).not.toContain(title);
    await expect.poll(() => page.url()).toContain('timeline.counters');
    await page.reload();
    await expect.poll(counters).toBe(before - 1);
    await page.locator('.counter-menu summary').click();
    await page.getByRole('button', { name: 'Those that change most' }).click();
    await expect.poll(counters).toBe(before);
  });

  it('have an axis with its highest value', async () => {
    expect(await page.locator('.counter-axis').first().innerText()).toMatch(/^\d.*\n0$/);
  });
});

it('shows no details of the strips next to the heat map', async () => {
  const canvas = await boxOf('.timeline-canvas');
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + 12);
  const thread = page.locator('.strip-name');
  await thread.waitFor();
  const name = await thread.innerText();
  // The keyboard leaves the pointer where it is.
  await page.getByRole('button', { name: 'Heat map', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.heat-map').waitFor();
  await expect.poll(() => page.locator('.strip').innerText()).not.toContain(name);
});
