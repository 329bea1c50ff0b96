// Tests the views of requests, wakers and locks, served and in the report file: content, clicks, keys and accessibility.
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { Analyzer, addressOfFile, printed, startBrowser, View } from './program';

const folder = inject('folder');
const experiment = join(folder, 'http.whittle');
/** The program waits for another program in these requests, and now and then much longer. */
const REMOTE = 'GET /remote/{}';

interface Requests {
  rows: { name: string; requests_count: number }[];
  slowest: { summary: string; others: { longest_ns: number }; slowest: { requests_count: number } };
}

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

function requests(...words: string[]): Requests {
  return JSON.parse(printed('requests', experiment, '--json', ...words)) as Requests;
}

describe.each(['served', 'report file'] as const)('%s', (kind) => {
  let view: View | undefined;
  let address: string;
  let analyzer: Analyzer;

  beforeAll(async () => {
    if (kind === 'served') {
      view = await View.start(experiment);
      address = view.address;
    } else {
      address = addressOfFile(join(folder, 'http.html'));
    }
  });
  afterAll(() => view?.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, address);
  });
  afterEach(async () => {
    const { problems } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
  });

  const row = (name: string) => analyzer.page.getByRole('grid', { name: 'Requests' }).locator('.table-row', { hasText: name });

  it.each(kind === 'served' ? ['requests', 'wakers', 'locks'] : ['requests'])(
    'shows the same numbers as the command line: %s',
    async (name) => {
      await analyzer.link(`#/${name}`);
      expect((await analyzer.savedText()).trimEnd()).toBe(printed(name, experiment, '--limit', '100').trimEnd());
    },
  );

  it('shows what the slowest requests did, with a click', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Requests');
    await row(REMOTE).click();
    await analyzer.settled();
    const slowest = page.getByRole('region', { name: `The slowest requests of ${REMOTE}` });
    const { summary } = requests('--slowest', '1%', '--request', REMOTE).slowest;
    expect(await slowest.innerText()).toContain(summary);
    expect((await analyzer.rows('Kinds of time of the slowest and of the others'))[0]?.at(-1)).toBe('<Whole length>');
    await slowest.getByRole('button', { name: '10 %', exact: true }).click();
    await analyzer.settled();
    expect(await slowest.innerText()).toContain(requests('--slowest', '10%', '--request', REMOTE).slowest.summary);
    await slowest.getByRole('button', { name: 'Close the slowest requests' }).click();
    await slowest.waitFor({ state: 'detached' });
  });

  it('selects the slowest requests in all views', async () => {
    const { page } = analyzer;
    await analyzer.link(`#/requests?o.requests.open=${encodeURIComponent(`${port()} ${REMOTE}`)}`);
    await page.getByRole('button', { name: 'Show only the slowest' }).click();
    await analyzer.settled();
    const { slowest } = requests('--slowest', '1%', '--request', REMOTE);
    const filter = `request is "${REMOTE}" and request_time > ${slowest.others.longest_ns}ns`;
    const expected = requests('--filter', filter).rows.map((found) => found.requests_count);
    const shown = (await analyzer.rows('Requests')).map((cells) => Number(cells[1]?.replace(/\D/g, '')));
    expect(shown).toEqual(expected);
    await page.goBack();
    await analyzer.settled();
    expect((await analyzer.rows('Requests')).length).toBe(requests().rows.length);
  });

  it('works with the keyboard', async () => {
    const { page } = analyzer;
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await analyzer.settled();
    await page.getByRole('grid', { name: 'Requests' }).focus();
    await page.keyboard.press('ArrowDown');
    await analyzer.settled();
    await page.getByRole('region', { name: /^The slowest requests of / }).waitFor();
    await page.keyboard.press('Enter');
    await analyzer.settled();
    expect((await analyzer.rows('Requests')).length).toBe(1);
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await analyzer.settled();
    expect(page.url()).toContain('#/locks');
  });

  it('sorts by a click on a heading', async () => {
    await analyzer.goTo('Requests');
    await analyzer.page.getByRole('button', { name: 'Count', exact: true }).click();
    await analyzer.settled();
    const counts = (await analyzer.rows('Requests')).map((cells) => Number(cells[1]?.replace(/\D/g, '')));
    expect(counts).toEqual([...counts].sort((left, right) => right - left));
  });

  it.each(['light', 'dark'] as const)('has no serious violation: %s', async (appearance) => {
    if (appearance === 'dark') await analyzer.page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
    const found: string[] = [];
    const opened = `#/requests?o.requests.open=${encodeURIComponent(`${port()} ${REMOTE}`)}`;
    for (const state of ['#/requests', opened, '#/wakers', '#/locks']) {
      await analyzer.link(state);
      const { violations } = await new AxeBuilder({ page: analyzer.page as never }).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      found.push(...serious.map(({ id, nodes }) => `${state}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`));
    }
    expect(found).toEqual([]);
  });
});

it('says why a report does not show who ended waits', async () => {
  const analyzer = await Analyzer.open(browser, addressOfFile(join(folder, 'http.html')));
  for (const link of ['#/wakers', '#/locks']) {
    await analyzer.link(link);
    expect(await analyzer.page.locator('#view').innerText()).toContain('A report file does not tell who ended waits');
  }
  await analyzer.close();
});

it('says why an experiment has no requests', async () => {
  const view = await View.start(join(folder, 'hostile.whittle'));
  onTestFinished(() => view.stop());
  const analyzer = await Analyzer.open(browser, view.address);
  await analyzer.link('#/requests');
  expect(await analyzer.page.locator('#view').innerText()).toContain('this experiment has no requests: only the engine kernel');
  await analyzer.link('#/locks');
  expect(await analyzer.page.locator('#view').innerText()).toContain('the event off_cpu was not sampled');
  await analyzer.close();
});

function port(): number {
  const { rows } = requests() as unknown as { rows: { name: string; port: number }[] };
  return rows.find((row) => row.name === REMOTE)?.port ?? 0;
}
