// Tests every view, served and in the report file: its content, and the effects of clicks and keys.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Analyzer, addressOfFile, printed, startBrowser, View } from './program';

const folder = inject('folder');
const experiment = join(folder, 'slow.whittle');
const WRITE = 'java.io.FileOutputStream.write(int)';
const CALLER = 'whittle.workloads.crc.slow.ExtOutputStream.write(int)';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

describe.each(['served', 'report file'] as const)('%s', (kind) => {
  let view: View | undefined;
  let address: string;
  let analyzer: Analyzer;

  beforeAll(async () => {
    if (kind === 'served') {
      view = await View.start(experiment);
      address = view.address;
    } else {
      address = addressOfFile(join(folder, 'slow.html'));
    }
  });
  afterAll(() => view?.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, address);
  });
  afterEach(async () => {
    const { problems, requests } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
    const own = kind === 'served' ? new URL(address).origin : address;
    expect(requests.filter((url) => !url.startsWith(own) && !/^(blob|data):/.test(url))).toEqual([]);
  });

  it('shows the data quality and what to look at', async () => {
    const text = await analyzer.page.locator('#view').innerText();
    expect(text).toContain('whittle.workloads.crc.Slow');
    const explained = /([\d.]+) % of the .* that the scheduler counted/.exec(text);
    expect(Number(explained?.[1])).toBeGreaterThan(80);
    expect(Number(explained?.[1])).toBeLessThan(110);
    expect(text).toMatch(/transfers few bytes per call/);
  });

  it.each([
    [
      '#/functions?columns=e.cpu,i.cpu%25,e.system_cpu',
      ['functions', '--limit', '100', '--metrics', 'e.cpu,i.cpu%,e.system_cpu'],
    ],
    [
      '#/functions?columns=i.io_bytes&sort=name&m=expert',
      ['functions', '--limit', '100', '--metrics', 'i.io_bytes', '--sort', 'name', '--mode', 'expert'],
    ],
    ['#/threads', ['threads', '--limit', '100', '--metrics', 'cpu,cpu%']],
    ['#/syscalls', ['syscalls', '--limit', '100', '--by', 'call,file,caller']],
    [
      `#/callers-callees?columns=a.cpu&c=${encodeURIComponent(WRITE)}`,
      ['callers-callees', '--limit', '2000', '--fragment', WRITE, '--metrics', 'a.cpu'],
    ],
  ])('shows the same numbers as the command line: %s', async (link, words) => {
    await analyzer.link(link);
    const [command = '', ...options] = words;
    expect((await analyzer.savedText()).trimEnd()).toBe(printed(command, experiment, ...options).trimEnd());
  });

  it('goes from the write to its callers by clicks alone', async () => {
    const { page } = analyzer;
    // Sorted by the inclusive value, because the write may have no exclusive sample. It would then be far down in the
    // table.
    await analyzer.link('#/functions?sort=i.cpu');
    await page
      .getByRole('grid', { name: 'Functions' })
      .locator('.table-row', { hasText: 'FileOutputStream.write(int)' })
      .first()
      .click();
    await analyzer.goTo('Callers & callees');
    const callers = await analyzer.rows('Callers of the centre');
    expect(callers[0]?.join(' ')).toContain('ExtOutputStream.write');
    expect(callers[1]?.join(' ')).toContain('OutImpl.outc');
    const shares = callers.slice(0, 2).map((row) => Number(row.find((cell) => /^\d+\.\d\d$/.test(cell))));
    expect(shares.every((share) => share > 0)).toBe(true);

    await page.getByRole('grid', { name: 'Callers of the centre' }).locator('.table-row').first().hover();
    await page.getByRole('button', { name: `Set centre: ${CALLER}`, exact: true }).click();
    await analyzer.settled();
    expect(page.url()).toContain('ExtOutputStream');
    const callees = await analyzer.rows('Callees of the centre');
    expect(callees[0]?.join(' ')).toContain('FileOutputStream.write');

    await page.getByRole('grid', { name: 'Callees of the centre' }).locator('.table-row').first().hover();
    await page.getByRole('button', { name: `Add to the centre: ${WRITE}`, exact: true }).click();
    await analyzer.settled();
    const centre = (await analyzer.rows('Centre')).map((row) => row.join(' '));
    expect(centre.some((row) => row.includes('ExtOutputStream.write'))).toBe(true);
    expect(centre.some((row) => row.includes('FileOutputStream.write'))).toBe(true);

    await page.goBack();
    await analyzer.settled();
    expect((await analyzer.rows('Centre')).length).toBe(2);
    await page.goBack();
    await analyzer.settled();
    expect((await analyzer.rows('Callers of the centre'))[1]?.join(' ')).toContain('OutImpl.outc');
  });

  it('zooms the flame graph, and Back zooms out', async () => {
    const { page } = analyzer;
    // The filter keeps one thread. Another thread could be at the left, without a frame at the height of the click.
    await analyzer.link('#/flame-graph?f=thread+%3D+%22crc-writer%22');
    const canvas = (await page.locator('.flame canvas').boundingBox())!;
    await page.mouse.dblclick(canvas.x + canvas.width / 2, canvas.y + 19 * 3 + 8);
    await page.locator('.flame-crumbs').waitFor();
    expect(page.url()).toContain('z=');
    await page.goBack();
    await page.locator('.flame-crumbs').waitFor({ state: 'detached' });
  });

  it('searches the flame graph and shows the matched share', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Flame graph');
    await page.getByRole('searchbox').fill('java\\.io\\.FileOutputStream\\.write');
    const matched = page.locator('.search-matched');
    await matched.waitFor();
    const share = Number(/([\d.]+) %/.exec(await matched.innerText())?.[1]);
    // The same query on the command line: the share of CPU time with a matching function on the stack.
    const all = JSON.parse(printed('functions', experiment, '--json', '--limit', '1')) as { total: { exclusive_cpu_ns: number } };
    const filter = ['--filter', 'stack has package "java.io" and stack has "java.io.FileOutputStream.write"'];
    const found = JSON.parse(printed('functions', experiment, '--json', '--limit', '1', ...filter)) as typeof all;
    const expected = (100 * found.total.exclusive_cpu_ns) / all.total.exclusive_cpu_ns;
    expect(Math.abs(share - expected)).toBeLessThan(1);
    await page.getByRole('button', { name: 'Next match', exact: true }).click();
    await expect.poll(() => matched.innerText()).toMatch(/1 of \d+/);
  });

  it('leaves the search of the flame graph with Escape', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Flame graph');
    await page.locator('[data-search]').fill('write');
    await analyzer.settled();
    await page.locator('[data-search]').press('Escape');
    await analyzer.settled();
    expect(await page.locator('[data-search]').inputValue()).toBe('');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('treegrid');
  });

  it('offers to remove a filter that the flame graph cannot apply', async () => {
    const { page } = analyzer;
    await analyzer.link(`#/flame-graph?f=${encodeURIComponent('thread = ')}`);
    await page.getByRole('button', { name: 'Remove the filter' }).click();
    await analyzer.settled();
    expect(await page.locator('.failure').count()).toBe(0);
    // Browsers write every response 400 to the console.
    const others = analyzer.problems.filter((problem) => !problem.includes('400'));
    analyzer.problems.splice(0, analyzer.problems.length, ...others);
  });

  it('prints all rows of the flame graph, and its legend', async () => {
    const { page } = analyzer;
    await page.setViewportSize({ width: 1000, height: 420 });
    await analyzer.goTo('Flame graph');
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const graph = (await page.locator('.flame-print svg').boundingBox())!;
    const rows = Number(await page.locator('.flame-scroller').getAttribute('aria-rowcount'));
    const rowHeight = Number(await page.locator('.flame-print svg').getAttribute('height')) / rows;
    expect(rowHeight).toBeGreaterThan(10);
    expect(graph.height).toBeGreaterThan(300);
    expect(await page.getByRole('list', { name: 'Colours' }).isVisible()).toBe(true);
    expect((await page.getByRole('list', { name: 'Colours' }).boundingBox())!.y).toBeGreaterThan(graph.y + graph.height - 1);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    expect(await page.locator('.flame-print').count()).toBe(0);
  });

  it('does not cover the view with its name', async () => {
    const { page } = analyzer;
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await analyzer.settled();
    expect(await page.locator('.spoken').innerText()).toBe('Flame graph');
    expect(await page.locator('.spoken.shown').count()).toBe(0);
  });

  it('turns the flame graph upside down', async () => {
    await analyzer.goTo('Flame graph');
    await analyzer.page.getByRole('button', { name: 'Bottom-up', exact: true }).click();
    await analyzer.settled();
    const grid = analyzer.page.getByRole('treegrid');
    expect(await grid.getAttribute('aria-label')).toContain('bottom-up');
    await expect.poll(async () => Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(3);
  });

  it('opens and closes subtrees of the call tree', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Call tree');
    const tree = page.getByRole('treegrid', { name: 'Call tree' });
    const before = Number(await tree.getAttribute('aria-rowcount'));
    expect(before).toBeGreaterThan(5);
    await tree.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => Number(await tree.getAttribute('aria-rowcount'))).toBeLessThan(before);
    await page.goBack();
    await expect.poll(async () => Number(await tree.getAttribute('aria-rowcount'))).toBe(before);
  });

  it.each(['Callees', 'Callers'])('searches the call tree and opens the way to the matches: %s', async (direction) => {
    const { page } = analyzer;
    await analyzer.goTo('Call tree');
    await page.getByRole('button', { name: direction, exact: true }).click();
    await page.getByRole('button', { name: 'Collapse all' }).click();
    await analyzer.settled();
    const focused = page.locator('.tree-row.is-focused');
    const place = page.locator('.search-matched');
    await page.keyboard.press('/');
    const box = page.locator('[data-search]');
    await page.keyboard.type('write');
    await expect.poll(() => focused.innerText()).toContain('write');
    const count = Number(/^1 of ([\d,]+)$/.exec(await place.innerText())?.[1]?.replace(',', ''));
    expect(count).toBeGreaterThan(1);
    expect(await focused.getAttribute('class')).toContain('is-match');
    const first = await focused.getAttribute('id');
    await box.press('Enter');
    await expect.poll(() => focused.getAttribute('id')).not.toBe(first);
    expect(await focused.innerText()).toContain('write');
    expect(await place.innerText()).toMatch(/^2 of/);
    await box.press('Shift+Enter');
    await expect.poll(() => place.innerText()).toMatch(/^1 of/);
    await box.press('Shift+Enter');
    await expect.poll(() => place.innerText()).toBe(`${count} of ${count}`);
    await expect.poll(() => focused.innerText()).toContain('write');
    await box.fill('no_such_function');
    await expect.poll(() => place.innerText()).toBe('No match');
    await box.press('Escape');
    expect(await box.inputValue()).toBe('');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('treegrid');
  });

  it('shows callers and callees of one function in the sandwich', async () => {
    await analyzer.link(`#/sandwich?sel=${encodeURIComponent(WRITE)}`);
    const halves = analyzer.page.getByRole('treegrid');
    await expect.poll(() => halves.count()).toBe(2);
    expect(await halves.first().getAttribute('aria-label')).toBe(`Callers of ${WRITE}`);
    await expect.poll(async () => Number(await halves.first().getAttribute('aria-rowcount'))).toBeGreaterThan(3);
  });

  it('selects a time range that filters every view', async () => {
    const { page } = analyzer;
    const samples = async () => {
      await analyzer.goTo('Functions');
      return (await analyzer.rows('Functions'))[0]!.join(' ');
    };
    const all = await samples();
    await analyzer.goTo('Timeline');
    const canvas = (await page.locator('.timeline-canvas').boundingBox())!;
    await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + 12);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width * 0.5, canvas.y + 14, { steps: 4 });
    await page.mouse.up();
    await page.locator('.chip').waitFor();
    expect(await page.locator('.chip').innerText()).toMatch(/\d s to \d/);
    const some = await samples();
    expect(some).not.toBe(all);
    await page.locator('.chip-remove').click();
    await analyzer.settled();
    expect((await analyzer.rows('Functions'))[0]!.join(' ')).toBe(all);
  });

  it('shows the stack of a clicked moment', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Timeline');
    const canvas = (await page.locator('.timeline-canvas').boundingBox())!;
    const pane = page.getByRole('complementary', { name: 'Stack' });
    // Several moments, because a single sample may have no Java frames.
    let part = 0.5;
    const stackOfNextMoment = async () => {
      await page.mouse.click(canvas.x + canvas.width * part, canvas.y + 12);
      part += 0.01;
      await page.waitForTimeout(1000);
      return pane.innerText({ timeout: 2000 }).catch(() => '');
    };
    await expect.poll(stackOfNextMoment).toContain('DocumentWriter');
    // The headline is about the clicked moment, also if its sample is recorded at another time.
    const clicked = /(?:At|Near|No sample at) ([\d.]+) s/.exec(await pane.innerText());
    const seconds = Number(/([\d.]+) s/.exec(await page.locator('.strip').innerText())?.[1]);
    expect(Number(clicked?.[1]), await pane.innerText()).toBeCloseTo(seconds, 1);
  });

  it('shows the source with the cost of each line', async () => {
    await analyzer.link(`#/source?sel=${encodeURIComponent(CALLER)}`);
    const hot = analyzer.page.locator('#view');
    await expect.poll(() => hot.innerText()).toContain('out.write(');
  });

  it('shows the position of an error in a filter, and adds a correct filter as a chip', async () => {
    const { page } = analyzer;
    await analyzer.link('#/functions?columns=e.cpu');
    const box = page.getByLabel('Add a filter or a transform');
    await box.fill('thread = ');
    await box.press('Enter');
    await page.locator('#filter-error').waitFor();
    // The browser itself logs the server's error.
    analyzer.problems.splice(0, 1, ...analyzer.problems.slice(0, 1).filter((problem) => !problem.includes('400')));
    await box.fill('thread = "crc-writer"');
    await box.press('Enter');
    await page.locator('.chip').waitFor();
    await analyzer.settled();
    const words = ['functions', experiment, '--filter', 'thread = "crc-writer"', '--metrics', 'e.cpu', '--limit', '100'];
    expect((await analyzer.savedText()).trimEnd()).toBe(printed(...words).trimEnd());
    await page.goBack();
    await page.locator('.chip').waitFor({ state: 'detached' });
  });

  it('transforms stacks from the menu of a function', async () => {
    const { page } = analyzer;
    await analyzer.link(`#/functions?columns=i.cpu&sel=${encodeURIComponent(WRITE)}`);
    await page.locator('#view').focus();
    await page.keyboard.press('m');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('f');
    await page.locator('.chip-transform').waitFor();
    await analyzer.settled();
    const words = ['functions', experiment, '--transform', `focus "${WRITE}"`, '--limit', '100', '--metrics', 'i.cpu'];
    expect((await analyzer.savedText()).trimEnd()).toBe(printed(...words).trimEnd());
  });

  it('is used without a pointer', async () => {
    const { page } = analyzer;
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    const table = page.getByRole('grid', { name: 'Functions' });
    await table.waitFor();
    await analyzer.settled();
    await expect.poll(() => table.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: 'Centre', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    const graph = page.getByRole('treegrid');
    await graph.waitFor();
    await expect.poll(async () => Number(await graph.getAttribute('aria-rowcount'))).toBeGreaterThan(3);
    await graph.focus();
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    const focused = await graph.getAttribute('aria-activedescendant');
    expect(await page.locator(`#${focused}`).innerText()).toMatch(/inclusive/);
    await page.keyboard.press('Enter');
    await page.locator('.flame-crumbs').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('begins its help with the views that answer the first questions', async () => {
    const { page } = analyzer;
    await page.locator('#view').focus();
    await page.keyboard.press('?');
    const views = page.getByRole('dialog').locator('.help-words').first();
    expect(await views.innerText()).toMatch(/^Overview\s+What was collected[\s\S]*Which lines cost most\?/);
    await views.getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).toContain('#/timeline');
  });

  it('ignores keys of one character after they are disabled', async () => {
    const { page } = analyzer;
    const find = page.locator('#find-function');
    await page.getByRole('button', { name: 'Help', exact: true }).click();
    await page.getByRole('dialog').getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.locator('#view').focus();
    for (const key of ['k', '/', 'f', '3']) await page.keyboard.press(key);
    expect(await find.evaluate((element) => element === document.activeElement)).toBe(false);
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await find.focus();
    await page.keyboard.type('k?');
    expect(await find.inputValue()).toBe('k?');
    await page.evaluate(() => localStorage.clear());
  });

  it('keeps the flame graph while an expression is incomplete', async () => {
    const { page } = analyzer;
    await analyzer.link('#/flame-graph');
    const graph = page.getByRole('treegrid');
    const rowCount = async () => Number(await graph.getAttribute('aria-rowcount'));
    await expect.poll(rowCount).toBeGreaterThan(3);
    const rows = await rowCount();
    await page.getByRole('searchbox').fill('write(');
    await page.locator('.error').waitFor();
    expect(await rowCount()).toBe(rows);
    await page.getByRole('searchbox').fill('write');
    await page.locator('.error').waitFor({ state: 'detached' });
    expect(await page.locator('.search-matched').innerText()).toMatch(/Matched/);
    // Browsers write every response 400 to the console.
    analyzer.problems.splice(0, 1, ...analyzer.problems.slice(0, 1).filter((problem) => !problem.includes('400')));
  });

  it('is dark on demand, and stays dark', async () => {
    const { page } = analyzer;
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
    expect(await paper()).not.toBe(light);
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(await paper()).not.toBe(light);
  });

  it('restores a state from its address', async () => {
    const { page } = analyzer;
    await analyzer.link('#/functions?m=machine&f=thread+%3D+%22crc-writer%22&sort=name');
    const before = await analyzer.rows('Functions');
    await page.reload();
    await page.getByRole('grid', { name: 'Functions' }).waitFor();
    await analyzer.settled();
    expect(await analyzer.rows('Functions')).toEqual(before);
  });
});

describe('served, in a second tab', () => {
  it('has access if a link is opened in a new tab or copied, and not in another browser', async () => {
    const view = await View.start(experiment);
    const analyzer = await Analyzer.open(browser, view.address);
    const copied = `${new URL(view.address).origin}/#/functions`;
    const second = await analyzer.page.context().newPage();
    await second.goto(copied);
    await second.getByRole('grid', { name: 'Functions' }).waitFor();
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(copied);
    await stranger.getByText('Access token missing').first().waitFor();
    await stranger.context().close();
    await analyzer.close();
    await view.stop();
  });
});
