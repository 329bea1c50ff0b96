// Tests comparisons and verifications in the browser: texts about both sides, layouts of the flame graph, keys and
// contrast. The numbers must be the same as on the command line.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ComparedFindings } from '../src/engine/answers';
import { Analyzer, collectWorkload, printed, startBrowser, View } from './program';

const folder = inject('folder');
const slow = join(folder, 'slow.whittle');
const fixed = join(folder, 'fixed.whittle');
const WRITE = encodeURIComponent('java.io.FileOutputStream.write(int)');

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  if (!existsSync(fixed)) collectWorkload('whittle.workloads.crc.Fixed', fixed);
});
afterAll(() => browser.close());

async function seriousViolations(analyzer: Analyzer, state: string): Promise<string[]> {
  await analyzer.link(state);
  const { violations } = await new AxeBuilder({ page: analyzer.page as never }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${state}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`);
}

describe('a comparison', () => {
  let view: View;
  let analyzer: Analyzer;
  beforeAll(async () => {
    view = await View.start('--baseline', slow, '--', fixed);
  });
  afterAll(() => view?.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, view.address);
  });
  afterEach(async () => {
    const { problems } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
  });

  const STATES = [
    '#/home?',
    '#/functions?',
    `#/callers-callees?c=${WRITE}&`,
    '#/call-tree?',
    '#/flame-graph?',
    '#/flame-graph?o.flame-graph.sides=beside&q=write&',
    `#/sandwich?sel=${WRITE}&`,
    `#/source?sel=${WRITE}&`,
    `#/function?sel=${WRITE}&`,
    '#/syscalls?',
    '#/threads?',
    '#/timeline?',
  ];

  it.each(STATES)('says above each view what is compared, per what, and how far it can be trusted: %s', async (state) => {
    await analyzer.link(state);
    const band = analyzer.page.getByRole('region', { name: 'Comparison' });
    const text = await band.innerText();
    expect(text).toContain('slow.whittle');
    expect(text).toContain('fixed.whittle');
    expect(text).toMatch(/Values per (second|unit|CPU-second|\w+)/);
    expect(await band.getByTitle(/--per of whittle view/).innerText()).toMatch(/^Values per/);
    expect(text).toContain('differences may be noise');
    expect(await analyzer.page.getByRole('alert').count()).toBe(0);
  });

  it('shows both sides, the change and its proportion of each function, as on the command line', async () => {
    await analyzer.link('#/functions');
    const rows = await analyzer.rows('Functions');
    const answer = JSON.parse(
      printed('functions', fixed, '--baseline', slow, '--json', '--limit', '5', '--metrics', 'e.cpu,i.cpu'),
    ) as {
      rows: Record<string, number | string | null>[];
    };
    expect(rows.slice(0, 5).map((cells) => cells.at(-1)?.replace(/\s/g, ''))).toEqual(
      answer.rows.map((row) =>
        expect.stringContaining(
          String(row.function)
            .replace(/.*[.](?=[A-Z<])|\(.*/g, '')
            .replace(/\s/g, ''),
        ),
      ),
    );
    for (const [index, row] of answer.rows.entries()) {
      const [baseline, candidate, change] = (rows[index] ?? []).map((cell) =>
        Number(cell.replace('\u2212', '-').replace('+', '')),
      );
      expect(Math.abs(candidate! - baseline! - change!)).toBeLessThan(0.11 + Math.abs(change!) * 0.01);
      expect(Math.sign(Math.round(change! * 10))).toBe(Math.sign(Math.round(change! * 10) && Number(row.exclusive_cpu_delta)));
    }
    // The filter selects functions of one side. In the whole table, the functions on the screen may be on both sides.
    const text = async (program: string) => {
      await analyzer.link(`#/functions?f=${encodeURIComponent(`stack has package "whittle.workloads.crc.${program}"`)}`);
      return (await analyzer.page.getByRole('grid', { name: 'Functions' }).innerText()).toLowerCase();
    };
    expect(await text('fixed')).toContain('+ new');
    expect(await text('slow')).toContain('\u2212 removed');
  });

  it('highlights the selected kind of change, by click and by key, and Back undoes it', async () => {
    const { page } = analyzer;
    await analyzer.link('#/functions');
    const sorted = () => page.locator('.head-cell.sorted').innerText();
    expect(await sorted()).toMatch(/Change (?!%)/);
    await page.getByRole('button', { name: 'Proportional', exact: true }).click();
    await analyzer.settled();
    expect(await sorted()).toContain('Change %');
    expect(page.url()).toContain('compare.by=proportional');
    await page.goBack();
    await analyzer.settled();
    expect(page.url()).not.toContain('compare.by');
    await page.getByRole('grid', { name: 'Functions' }).focus();
    await page.keyboard.press('x');
    await analyzer.settled();
    expect(page.url()).toContain('compare.by=proportional');
  });

  it('draws both sides overlaid, side by side, or one of them, with one search and one zoom', async () => {
    const { page } = analyzer;
    // The filter keeps one thread. Another thread could be at the left, without a frame at the height of the clicks.
    await analyzer.link('#/flame-graph?f=thread+%3D+%22crc-writer%22');
    expect(await page.locator('.flame canvas').count()).toBe(1);
    await page.getByRole('button', { name: 'Side by side', exact: true }).click();
    await analyzer.settled();
    expect(page.url()).toContain('sides=beside');
    const canvases = page.locator('.flame canvas');
    await expect.poll(() => canvases.count()).toBe(2);
    expect(await page.getByRole('heading', { name: /^Baseline/ }).count()).toBe(1);

    const right = (await canvases.nth(1).boundingBox())!;
    await page.mouse.dblclick(right.x + right.width / 3, right.y + 19 * 2 + 8);
    await page.locator('.flame-crumbs [aria-current]').waitFor();
    await expect.poll(() => page.url()).toContain('z=');
    expect(await page.locator('#view .error').count()).toBe(0);
    await page.goBack();
    await analyzer.settled();

    await page.mouse.move(right.x + right.width / 3, right.y + 19 * 2 + 8);
    await expect.poll(() => page.locator('footer.strip').innerText()).toMatch(/→ .*(%|new|removed|no change)/);
    await page.getByRole('treegrid').first().focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.getByRole('treegrid').first().innerText()).toMatch(/inclusive .* → /);

    await page.getByRole('button', { name: 'Candidate', exact: true }).click();
    await analyzer.settled();
    await expect.poll(() => page.locator('.flame canvas').count()).toBe(1);
  });

  it('begins with a sentence about the findings and CPU time, and lists the findings of both sides', async () => {
    const { page } = analyzer;
    await analyzer.link('#/home');
    const sentence = page.locator('.compare-sentence');
    await expect.poll(() => sentence.innerText(), { timeout: 30_000 }).toMatch(/^In this pair of runs: /);
    const overview = JSON.parse(printed('compare', slow, fixed, '--json')) as { findings: ComparedFindings };
    expect(await sentence.innerText()).toBe(overview.findings.sentence);
    expect(overview.findings.sentence).toMatch(/finding .* (went away|became too small)/);
    expect(overview.findings.sentence).toMatch(/CPU per .* (lower|higher)[.]$/);
    const card = page.getByRole('region', { name: 'Findings of both sides' });
    const lists = ['gone', 'new', 'same', 'uncertain'] as const;
    const rows = lists.flatMap((list) => overview.findings[list]);
    await expect.poll(() => card.getByRole('listitem').count()).toBe(rows.length);
    expect(await card.getByRole('heading', { name: 'Gone' }).count()).toBe(overview.findings.gone.length > 0 ? 1 : 0);
  });

  it('shows the activity of both sides with one zoom, and a drag selects a time range for all views', async () => {
    const { page } = analyzer;
    await analyzer.link('#/timeline');
    const graphs = page.locator('.compared-graph');
    await expect.poll(() => graphs.count()).toBe(2);
    expect(await graphs.nth(0).getAttribute('aria-label')).toMatch(/^Baseline, slow.whittle: at most [1-9]/);
    expect(await graphs.nth(1).getAttribute('aria-label')).toMatch(/^Candidate, fixed.whittle: at most [1-9]/);
    await page.getByRole('button', { name: 'Zoom in', exact: true }).click();
    await analyzer.settled();
    expect(page.url()).toContain('timeline.from=');
    await page.getByRole('button', { name: 'Show the whole timeline', exact: true }).click();
    await analyzer.settled();
    const box = (await graphs.nth(1).boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => decodeURIComponent(page.url())).toMatch(/time\+?.?in/);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await analyzer.settled();
    await page.getByRole('link', { name: 'fixed.whittle', exact: true }).click();
    await page.getByRole('grid').first().waitFor();
    expect(await page.getByRole('region', { name: 'Comparison' }).count()).toBe(0);
  });

  it.each([
    ['locks', 'Locks'],
    ['wakers', 'Wakers'],
    ['requests', 'Requests'],
    ['user-notes', 'User notes'],
  ])('links a view that is not compared to the same view of each experiment: %s', async (name, title) => {
    const { page } = analyzer;
    await analyzer.link(`#/${name}`);
    const link = page.locator('#view').getByRole('link', { name: 'Candidate: fixed.whittle', exact: true });
    expect(await page.locator('#view').getByRole('link', { name: 'Baseline: slow.whittle', exact: true }).count()).toBe(1);
    await link.click();
    await analyzer.settled();
    expect(page.url()).toContain(`#/${name}`);
    expect(await page.title()).toContain(`${title} · fixed.whittle`);
    expect(await page.getByRole('region', { name: 'Comparison' }).count()).toBe(0);
  });

  it('swaps its sides and ends', async () => {
    const { page } = analyzer;
    await analyzer.link('#/functions');
    const band = page.getByRole('region', { name: 'Comparison' });
    await page.getByRole('button', { name: 'Swap sides', exact: true }).click();
    await expect.poll(() => band.locator('.compare-side').first().innerText(), { timeout: 30_000 }).toContain('fixed.whittle');
    await analyzer.settled();
    expect(page.url()).toContain('#/functions');
    // The first comparison is in the list, and is not loaded again.
    await page.getByRole('button', { name: 'Swap sides', exact: true }).click();
    await expect.poll(() => band.locator('.compare-side').first().innerText()).toContain('slow.whittle');
    await page.getByRole('button', { name: 'End comparison', exact: true }).click();
    await analyzer.settled();
    expect(await band.count()).toBe(0);
    expect(await page.title()).toContain('fixed.whittle');
  });

  it('can be used by keys alone: from a function to its callees', async () => {
    const { page } = analyzer;
    await analyzer.link('#/functions');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await analyzer.settled();
    await page.getByRole('grid', { name: 'Functions' }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('callers-callees');
    await expect.poll(async () => (await analyzer.rows('Centre')).length).toBe(2);
    await expect.poll(() => page.locator('footer.strip').innerText()).toContain('→');
  });

  it.each(['light', 'dark'] as const)('no serious violation: %s', { timeout: 240_000 }, async (appearance) => {
    if (appearance === 'dark') await analyzer.page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
    const found: string[] = [];
    for (const state of STATES) found.push(...(await seriousViolations(analyzer, state)));
    for (const state of ['#/functions?', '#/flame-graph?'])
      found.push(...(await seriousViolations(analyzer, `${state}o.compare.by=proportional`)));
    expect(found).toEqual([]);
  });
});

describe('two experiments', () => {
  let view: View;
  let analyzer: Analyzer;
  beforeAll(async () => {
    view = await View.start(slow, fixed);
  });
  afterAll(() => view?.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, view.address);
  });
  afterEach(async () => {
    const { problems } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
  });

  it('can be compared in the page', async () => {
    const { page } = analyzer;
    await page.getByRole('button', { name: 'Compare …', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare two experiments' });
    const side = (name: RegExp) => dialog.getByRole('combobox', { name });
    const chosen = (name: RegExp) => side(name).locator('option:checked').innerText();
    // In the order of the command line.
    expect(await chosen(/^Baseline/)).toBe('slow.whittle');
    await dialog.getByRole('button', { name: 'Swap', exact: true }).click();
    expect(await chosen(/^Candidate/)).toBe('slow.whittle');
    await dialog.getByRole('button', { name: 'Swap', exact: true }).click();
    const { violations } = await new AxeBuilder({ page: page as never }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await side(/^Candidate/).selectOption({ label: 'slow.whittle' });
    expect(await dialog.getByRole('button', { name: 'Compare', exact: true }).isDisabled()).toBe(true);
    await side(/^Candidate/).selectOption({ label: 'fixed.whittle' });
    await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
    const band = page.getByRole('region', { name: 'Comparison' });
    await band.waitFor({ timeout: 30_000 });
    expect(await dialog.count()).toBe(0);
    expect(await band.innerText()).toMatch(/Baseline\s+slow\.whittle[\s\S]*Candidate\s+fixed\.whittle/);
  });
});

it('says which run does not have the pool of the filter', async () => {
  const readers = join(folder, 'readers.whittle');
  if (!existsSync(readers)) collectWorkload('whittle.workloads.readers.Fixed', readers, [], 2);
  const view = await View.start('--baseline', slow, '--', readers);
  const analyzer = await Analyzer.open(browser, view.address);
  const { page } = analyzer;
  await analyzer.link(`#/timeline?f=${encodeURIComponent('pool is "crc-writer"')}`);
  const runs = page.locator('.compared-timeline .activity-name');
  await expect.poll(() => runs.last().innerText()).toContain('This run has no pool "crc-writer"');
  // In this run it is a single thread, which is a pool only in a comparison.
  expect(await runs.first().innerText()).not.toContain('pool');
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByRole('img', { name: /^Baseline/ }).getAttribute('aria-label')).not.toContain('at most 0.0');
  await analyzer.close();
  await view.stop();
});

describe('a verification', () => {
  const verification = join(folder, 'verification');
  let view: View;
  let analyzer: Analyzer;
  beforeAll(async () => {
    mkdirSync(verification, { recursive: true });
    copyFileSync(join(import.meta.dirname, 'verification.json'), join(verification, 'verification.json'));
    view = await View.start(verification);
  });
  afterAll(() => view?.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, view.address);
    await analyzer.page.getByRole('region', { name: 'Verdict' }).waitFor();
  });
  afterEach(() => analyzer.close());

  it('is the first page of its folder: the verdict in words, then each endpoint', async () => {
    const { page } = analyzer;
    expect(await page.getByRole('region', { name: 'Verdict' }).innerText()).toMatch(/improved/);
    const words = await page.getByRole('article').locator('.vf-said').allInnerTexts();
    expect(words.map((each) => each.replace(/^\S /, ''))).toEqual([
      'improved',
      'improved',
      'no relevant change',
      'inconclusive',
      'worse',
    ]);
    expect(await page.getByRole('article').first().innerText()).toContain('primary');
    expect(await page.locator('#view').innerText()).toContain('moved from FileOutputStream.write');
  });

  it('draws each interval and each run, and describes them in words', async () => {
    const first = analyzer.page.getByRole('article').first();
    expect(await first.getByRole('img').first().getAttribute('aria-label')).toMatch(/^\u221258 %, 95 % interval/);
    expect(await first.locator('.vf-baseline').count()).toBe(5);
    expect(await first.locator('.vf-candidate').count()).toBe(5);
    expect(await first.locator('.vf-pair').count()).toBe(5);
    await first.getByText('Values of the runs').click();
    expect(await first.getByRole('row').count()).toBe(11);
  });

  it.each(['light', 'dark'] as const)('no serious violation: %s', { timeout: 240_000 }, async (appearance) => {
    if (appearance === 'dark') await analyzer.page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
    await analyzer.page.locator('details').evaluateAll((all) => {
      for (const each of all) each.setAttribute('open', '');
    });
    expect(await seriousViolations(analyzer, '#/verification')).toEqual([]);
  });
});
