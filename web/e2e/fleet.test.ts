// The fleet's page: query settings, tables, the share of a function, changes, and opening a selection in the analyzer.
// The tests compare the page's values with the values that `whittle-fleet` prints for the same store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeStore, type Pushed } from './fleet_store';
import { Analyzer, FLEET, printedBy, startBrowser, View } from './program';

const HOUR_S = 3600;
const PUSH_S = 600;
/** The last whole hours. The intake does not accept older segments. */
const TO_S = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;
const FROM_S = TO_S - 3 * HOUR_S;
const moment = (moment_s: number) => new Date(moment_s * 1000).toISOString().slice(0, 16);
const TIME = ['--since', moment(FROM_S), '--until', moment(TO_S)];

/** Seconds as the page shows them: 1,234.567. */
const SECONDS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** This function is slower in version 1.10. */
const TAX = 'shop.Tax.apply';

/**
 * Two services. checkout runs on four hosts; two of them change version after half of the time and send nothing for 20 minutes.
 */
function pushes(): Pushed[] {
  const found: Pushed[] = [];
  for (let start_s = FROM_S; start_s < TO_S; start_s += PUSH_S) {
    const part = (start_s - FROM_S) / PUSH_S;
    for (const host of [1, 2, 3, 4]) {
      if (part === 4 || part === 5) continue;
      const isNew = part >= 9 && host <= 2;
      const labels = {
        host: `web-${host}`,
        version: isNew ? '1.10' : '1.9',
        region: host % 2 === 0 ? 'north' : 'south',
        zone: 'a',
      };
      const stacks = [
        [['shop.Main.main', 'shop.Basket.total', TAX], isNew ? 60 : 20 + host],
        [['shop.Main.main', 'shop.Basket.total'], 30],
        [['shop.Main.main', 'java.util.HashMap.get'], 50 + part],
      ] as const;
      found.push({ service: 'checkout', labels, start_s, length_s: PUSH_S, stacks });
    }
    const stacks = [
      [['find.Main.main', 'find.Scorer.score'], 200],
      [['find.Main.main', 'java.util.HashMap.get'], 10],
    ] as const;
    found.push({
      service: 'search',
      labels: { host: 'find-1', version: '7', region: 'north' },
      start_s,
      length_s: PUSH_S,
      stacks,
    });
  }
  return found;
}

const store = mkdtempSync(join(tmpdir(), 'whittle-fleet-'));
let browser: Browser;
let view: View;
let analyzer: Analyzer;

beforeAll(async () => {
  await makeStore(store, pushes());
  view = await View.of(FLEET, ['serve', '--store', store, ...TIME]);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await view?.stop();
  rmSync(store, { recursive: true, force: true });
});
beforeEach(async () => {
  analyzer = await Analyzer.open(browser, view.address);
  await rowsOf('Functions of the fleet');
});
afterEach(async () => {
  const { problems } = analyzer;
  await analyzer.close();
  expect(problems).toEqual([]);
});

interface Cost {
  cores: number;
  cost_per_year: number;
}

function asked<Answer>(command: string, ...words: string[]): Answer {
  return JSON.parse(printedBy(FLEET, command, '--store', store, '--json', ...TIME, ...words)) as Answer;
}

/** The rows of a table, once it has rows. */
async function rowsOf(label: string): Promise<string[][]> {
  await expect.poll(async () => (await analyzer.rows(label)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await analyzer.settled();
  return analyzer.rows(label);
}

/** The expected content of the tables for these settings, from the command line. */
async function expectTables(...choice: string[]): Promise<void> {
  const services = asked<{ rows: { service: string; cost: Cost; sample_count: number; hosts: string[] }[] }>(
    'services',
    ...choice,
  );
  const shown = (await rowsOf('Services')).map(([cores, , , sampled, samples, hosts, , service]) => [
    cores,
    sampled,
    samples,
    hosts,
    service?.replace(/(Only|All)$/, ''),
  ]);
  expect(shown).toEqual(
    services.rows.map((row) => [
      row.cost.cores.toFixed(3),
      '–',
      String(row.sample_count).replace(/\B(?=(\d{3})+$)/g, ','),
      String(row.hosts.length),
      row.service,
    ]),
  );
  const top = asked<{ cpu_ns: number; rows: { function: string; exclusive_cpu_ns: number; exclusive: Cost; inclusive: Cost }[] }>(
    'top',
    '--limit',
    '100',
    ...choice,
  );
  const functions = (await rowsOf('Functions of the fleet')).map(([cores, share, , inclusive, , , name]) => [
    cores,
    share,
    inclusive,
    name,
  ]);
  expect(functions).toEqual(
    top.rows.map((row) => [
      row.exclusive.cores.toFixed(3),
      ((100 * row.exclusive_cpu_ns) / top.cpu_ns).toFixed(2),
      row.inclusive.cores.toFixed(3),
      row.function,
    ]),
  );
}

/** The button that opens one of the lists. */
function list(name: string) {
  return analyzer.page.getByRole('region', { name: 'Query settings' }).getByRole('button', { name: new RegExp(`^${name}`) });
}

/** Selects a name in one of the lists. */
async function choose(title: string, name: string): Promise<void> {
  const { page } = analyzer;
  await list(title).click();
  await page.getByRole('dialog', { name: title }).getByRole('checkbox', { name, exact: true }).check();
  await page.keyboard.press('Escape');
  await analyzer.settled();
}

async function pick(name: string): Promise<void> {
  await analyzer.page
    .getByRole('grid', { name: 'Functions of the fleet' })
    .locator('.table-row', { hasText: name })
    .first()
    .click();
  await analyzer.page.getByRole('slider').waitFor();
  await analyzer.settled();
}

describe('the fleet in the browser', () => {
  it('begins with the settings of the command line, and shows its numbers', async () => {
    expect(await analyzer.page.locator('h1').innerText()).toBe('Fleet');
    await expectTables();
    const total = asked<{ rows: { cost: Cost }[] }>('services').rows.reduce((sum, { cost }) => sum + cost.cores, 0);
    expect(await analyzer.page.locator('.toolbar-subtitle').innerText()).toContain(`${total.toFixed(3)} cores`);
  });

  it('filters by the settings; a link restores them and Back undoes them', { timeout: 240_000 }, async () => {
    const { page } = analyzer;
    await choose('Services', 'checkout');
    await expectTables('--service', 'checkout');
    await choose('Hosts', 'web-1');
    await choose('Hosts', 'web-3');
    await expectTables('--service', 'checkout', '--host', 'web-1,web-3');
    await page.reload();
    await expectTables('--service', 'checkout', '--host', 'web-1,web-3');
    await page.goBack();
    await expectTables('--service', 'checkout', '--host', 'web-1');
    await choose('Versions', '1.10');
    await choose('Labels', 'zone=a');
    await expectTables('--service', 'checkout', '--host', 'web-1', '--version', '1.10', '--label', 'zone=a');
    await page.getByRole('button', { name: 'Remove all', exact: true }).click();
    await expectTables();
    await choose('Regions', 'north');
    await expectTables('--region', 'north');
  });

  it('finds functions by a part of their name', async () => {
    const { page } = analyzer;
    await page.keyboard.press('/');
    await page.keyboard.type('hashmap');
    await expect.poll(async () => (await analyzer.rows('Functions of the fleet')).length).toBe(1);
    expect((await analyzer.rows('Functions of the fleet'))[0]?.at(-1)).toBe('java.util.HashMap.get');
    await page.getByLabel('Search functions').fill('no such name');
    await page.getByText('No matching functions.').waitFor();
  });

  it('shows the cost at a given price', async () => {
    const price = analyzer.page.getByLabel('Price of a core for an hour');
    await price.fill('1');
    await price.press('Enter');
    await expect.poll(() => analyzer.page.url()).toContain('o.fleet.price=1');
    const { total } = asked<{ total: Cost }>('top', '--price', '1');
    const money = String(Math.round(total.cost_per_year)).replace(/\B(?=(\d{3})+$)/g, ',');
    await expect.poll(() => analyzer.page.locator('.toolbar-subtitle').innerText()).toContain(money);
  });

  it('shows the share of a function over time, by keyboard too, with its gap', async () => {
    const { page } = analyzer;
    await choose('Services', 'checkout');
    await pick('Tax.apply');
    const { rows } = asked<{ rows: { from_s: number; part: string; inclusive_ratio: number }[] }>(
      'share',
      TAX,
      '--service',
      'checkout',
      '--every',
      '10m',
      '--by',
      'version',
    );
    const at = (from_s: number) =>
      rows.filter((row) => row.from_s === from_s).map((row) => `${row.part} ${(row.inclusive_ratio * 100).toFixed(2)} %`);
    const slider = page.getByRole('slider');
    const said = () => slider.getAttribute('aria-valuetext');
    await slider.focus();
    await page.keyboard.press('End');
    for (const text of at(TO_S - PUSH_S)) expect(await said()).toContain(text);
    expect(at(TO_S - PUSH_S).length).toBe(2);
    await page.keyboard.press('Home');
    expect(await said()).toContain(`1.10 no data`);
    expect(await said()).toContain(at(FROM_S)[0]);
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
    expect(at(FROM_S + 4 * PUSH_S)).toEqual([]);
    expect(await said()).toMatch(/1\.9 no data, 1\.10 no data|1\.10 no data, 1\.9 no data/);
    // Lines end at the gap. Version 1.9 has a line before and a line after the gap, version 1.10 only after it.
    expect(await page.locator('.fleet-line').count()).toBe(3);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const table = await rowsOf('Share over time');
    const expected = rows.map((row) => [(row.inclusive_ratio * 100).toFixed(2), moment(row.from_s).replace('T', ' '), row.part]);
    // Only rows on the screen are in the page.
    expect(table.map(([inclusive, , , , part, from]) => [inclusive, from, part])).toEqual(expected.slice(0, table.length));
    expect(table.length).toBeGreaterThan(5);
    expect(Number(await page.getByRole('grid', { name: 'Share over time' }).getAttribute('aria-rowcount'))).toBe(
      expected.length + 1,
    );
  });

  it('opens the selection in the analyzer', async () => {
    const { page } = analyzer;
    await choose('Services', 'checkout');
    await pick('Tax.apply');
    await page.getByRole('button', { name: 'Callers & callees', exact: true }).click();
    await page.getByRole('grid', { name: 'Callers of the centre' }).waitFor();
    expect((await rowsOf('Callers of the centre'))[0]?.join(' ')).toContain('Basket.total');
    await analyzer.goTo('Functions');
    const { rows } = asked<{ rows: { function: string; exclusive_cpu_ns: number }[] }>(
      'functions',
      '--service',
      'checkout',
      '--by',
      'host',
      '--limit',
      '100',
    );
    expect((await rowsOf('Functions')).map((row) => [row[0], row.at(-1)])).toEqual(
      rows.map((row) => [SECONDS.format(row.exclusive_cpu_ns / 1e9), row.function]),
    );
    await analyzer.goTo('Fleet');
    await expectTables('--service', 'checkout');
    await page.getByRole('button', { name: 'Open in the analyzer', exact: true }).click();
    await page.getByRole('button', { name: 'Flame graph', exact: true }).first().click();
    await expect.poll(async () => Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'))).toBeGreaterThan(3);
  });

  it('compares two versions side by side', async () => {
    const { page } = analyzer;
    await analyzed();
    await choose('Services', 'checkout');
    await page.getByRole('button', { name: 'Changes' }).click();
    await page.getByRole('button', { name: 'Compare both', exact: true }).click();
    await page.locator('.compare-band').waitFor();
    const band = await page.locator('.compare-band').innerText();
    expect(band.indexOf('checkout 1.9')).toBeGreaterThanOrEqual(0);
    expect(band.indexOf('checkout 1.10')).toBeGreaterThan(band.indexOf('checkout 1.9'));
  });

  it('describes changes in words, intervals and money', async () => {
    const { page } = analyzer;
    await analyzed();
    await page.getByRole('button', { name: 'Changes' }).click();
    await page.getByRole('button', { name: 'checkout', exact: true }).click();
    const rows = await rowsOf('Changes of functions');
    expect(rows.map(([word, change]) => [word, change])).toEqual([
      ['✗ regression', '+27 %'],
      ['⇄ moved', '−12 %'],
      ['? not enough power', '–'],
    ]);
    expect(await page.getByRole('img', { name: '+27 %, 99 % interval +20 % to +34 %' }).count()).toBe(1);
    expect(await page.getByRole('region', { name: 'Saving' }).innerText()).toContain(
      "Saves 2.910 cores, 1,020 per year at today's traffic",
    );
    await page.getByRole('button', { name: '1 regression' }).click();
    await expect.poll(async () => (await analyzer.rows('Changes of functions')).length).toBe(1);
    await page.getByRole('grid', { name: 'Changes of functions' }).locator('.table-row').first().click();
    await page.locator('.fleet-explained', { hasText: '15 upgraded hosts compared with 14 other hosts' }).waitFor();
    await page.getByRole('slider').waitFor();
    await analyzer.settled();
  });

  it('reports a time range without data, and leads back', async () => {
    const { page } = analyzer;
    await analyzer.link('#/fleet?o.fleet.since=2020-01-01&o.fleet.until=2020-01-02');
    await page.getByText('No data of all services from 2020-01-01').waitFor();
    await page.getByRole('button', { name: 'Show the last hour with data' }).click();
    expect((await rowsOf('Services')).length).toBe(2);
    const [from] = [page.getByLabel('From, UTC')];
    await from.fill('yesterday');
    await from.press('Enter');
    await page.getByText('Enter two times in UTC').waitFor();
    await from.fill(moment(FROM_S).replace('T', ' '));
    await from.press('Enter');
    await expect.poll(() => page.url()).toContain(encodeURIComponent(moment(FROM_S)));
    await rowsOf('Services');
    forgive(404);
  });

  it('can be used without a pointer', async () => {
    const { page } = analyzer;
    await analyzer.link('#/fleet?o.fleet.since=7d');
    await rowsOf('Services');
    await page.locator('#view').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    const services = page.getByRole('grid', { name: 'Services' });
    await expect.poll(() => services.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('o.fleet.service=checkout');
    await rowsOf('Services');
    const functions = page.getByRole('grid', { name: 'Functions of the fleet' });
    await functions.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.url()).toContain('o.fleet.function=');
    const hosts = list('Hosts');
    await hosts.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    expect(await hosts.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(page.url()).toContain('o.fleet.host=web-1');
  });

  it.each(['light', 'dark'] as const)(
    'has no serious violation of accessibility: %s',
    { timeout: 240_000 },
    async (appearance) => {
      const { page } = analyzer;
      await analyzed();
      if (appearance === 'dark') await page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
      const time = `o.fleet.since=${moment(FROM_S)}&o.fleet.until=${moment(TO_S)}`;
      const states = [
        `#/fleet?${time}`,
        `#/fleet?${time}&o.fleet.service=checkout&o.fleet.function=${TAX}`,
        `#/fleet?${time}&o.fleet.service=checkout&o.fleet.function=${TAX}&o.fleet.look=table&o.fleet.by=host`,
        `#/fleet?${time}&o.fleet.page=changes`,
        `#/fleet?${time}&o.fleet.page=changes&o.fleet.service=checkout&o.fleet.function=${TAX}`,
        '#/fleet?o.fleet.since=2020-01-01&o.fleet.until=2020-01-02',
        '#/functions',
      ];
      const found: string[] = [];
      const look = async (state: string) => {
        const { violations } = await new AxeBuilder({ page: page as never }).analyze();
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        found.push(
          ...serious.map(({ id, nodes }) => `${state}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`),
        );
      };
      for (const state of states) {
        await analyzer.link(state);
        await analyzer.settled();
        await look(state);
      }
      await analyzer.link(states[0] ?? '');
      await rowsOf('Services');
      await list('Hosts').click();
      await look('the list of hosts');
      expect(found).toEqual([]);
      forgive(404);
    },
  );
});

/**
 * Ignores a console message. Browsers write unsuccessful responses to the console, here the response for a time range
 * without data.
 */
function forgive(status: number): void {
  analyzer.problems.splice(
    0,
    analyzer.problems.length,
    ...analyzer.problems.filter((problem) => !problem.includes(String(status))),
  );
}

/** Replaces the answers of the statistics by fixed answers. Real answers need more hosts and days than a test has. */
async function analyzed(): Promise<void> {
  const cost = { cores: 0.012, cost_per_year: 4.2 };
  const row = (word: string, name: string, ratio: number | null, more = {}) => ({
    name,
    word,
    domain: 'shop',
    sentence: `${name}: ${word}; 15 upgraded hosts compared with 14 other hosts`,
    is_watched: false,
    ratio,
    low_ratio: ratio === null ? null : ratio - 0.07,
    high_ratio: ratio === null ? null : ratio + 0.07,
    before: 0.01,
    after: 0.0127,
    detectable_ratio: 0.4,
    moved: null,
    steps: [],
    cost_of_change: ratio === null ? null : cost,
    cost_on_all: ratio === null ? null : cost,
    ...more,
  });
  const moved = { domain: 'shop', ratio: 1, low_ratio: 0.99, high_ratio: 1.01, with: ['shop.Basket.total'] };
  const window = (from_s: number) => ({ from_s, to_s: from_s + HOUR_S });
  const regressions = {
    service: 'checkout',
    method: 'difference_in_differences',
    from_version: '1.9',
    to_version: '1.10',
    versions: ['1.9', '1.10'],
    measure: 'share',
    unit: null,
    question: { alpha_ratio: 0.01, margin_ratio: 0.05 },
    before: window(FROM_S),
    after: window(TO_S - HOUR_S),
    hosts: [
      { host: 'web-1', role: 'upgraded', why: null },
      { host: 'web-3', role: 'other', why: null },
      { host: 'web-9', role: 'left_out', why: 'not seen before' },
    ],
    counts: ['regressed', 'moved', 'not_enough_power'].map((word) => ({ word, functions: 1 })),
    row_count: 3,
    sentences: ['Of 3 functions: 1 regressed.'],
    rows: [
      row('regressed', TAX, 1.27, { is_watched: true }),
      row('moved', 'java.util.HashMap.get', 0.88, { moved }),
      row('not_enough_power', 'shop.Main.main', null),
    ],
    notes: [],
  };
  const saving = {
    savings: [{ kind: 'per_unit', ratio: 0.34 }],
    sentences: ['For each unit of work: 34 % less CPU time'],
    saved: { cores: 2.91, cost_per_year: 1020 },
    saved_by: 'per_unit',
    notes: [],
  };
  await analyzer.page.route('**/api/fleet/regressions?*', (route) => route.fulfill({ json: regressions }));
  await analyzer.page.route('**/api/fleet/saving?*', (route) => route.fulfill({ json: saving }));
}
