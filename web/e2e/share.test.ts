// Tests what users pass on: notes in the experiment, the guide, the command of a verification, and shared views.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { Analyzer, addressOfFile, printed, startBrowser, View, WHITTLE } from './program';

const folder = inject('folder');
const experiment = join(folder, 'slow.whittle');
const WRITE = 'java.io.FileOutputStream.write(int)';

let browser: Browser;
let view: View;
let analyzer: Analyzer;
beforeAll(async () => {
  browser = await startBrowser();
  view = await View.start(experiment);
});
afterAll(async () => {
  await view.stop();
  await browser.close();
  rmSync(join(experiment, 'notes.json'), { force: true });
});
beforeEach(async () => {
  analyzer = await Analyzer.open(browser, view.address);
});
afterEach(async () => {
  const { problems } = analyzer;
  await analyzer.close();
  expect(problems).toEqual([]);
});

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function seriousViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: page as never }).analyze();
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id);
}

it('the guide opens next to the findings, served and in a report, and Back closes it', async () => {
  const report = await Analyzer.open(browser, addressOfFile(join(folder, 'slow.html')));
  onTestFinished(() => report.close());
  for (const { page } of [analyzer, report]) {
    const link = page.getByRole('link', { name: 'Guide: Unbuffered write', exact: true }).first();
    await link.click();
    const guide = page.getByRole('dialog', { name: 'Unbuffered write' });
    await guide.getByRole('heading', { name: 'How to fix it' }).waitFor();
    expect(await guide.locator('pre').first().innerText()).toContain('new ');
    expect(await guide.innerText()).not.toMatch(/`|\]\(/);
    expect(await seriousViolations(page)).toEqual([]);
    await page.goBack();
    await guide.waitFor({ state: 'detached' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await guide.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('home.guide');
  }
  expect(report.problems).toEqual([]);
});

it('the command of the verification is the command line of the experiment', async () => {
  const { page } = analyzer;
  await page
    .getByRole('button', { name: /^Copy the command of whittle verify/ })
    .first()
    .click();
  await page.getByText('The command was copied').waitFor();
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${await copied(page)}`], { encoding: 'utf8' }).split('\n');
  const { command } = JSON.parse(printed('overview', experiment, '--json')) as { command: string[] };
  expect(words.slice(0, 3)).toEqual(['whittle', 'verify', '--baseline']);
  const program = words[3] ?? '';
  expect(
    execFileSync('sh', ['-c', `printf '%s\\n' ${program}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n'),
  ).toEqual(command);
  expect(words.slice(4, 8)).toEqual(['--candidate', program, '--finding', 'unbuffered-write']);
});

it('notes on a function are kept in the experiment, shown, changed and deleted', async () => {
  const { page } = analyzer;
  await analyzer.link(`#/function?sel=${encodeURIComponent(WRITE)}`);
  await page.keyboard.press('m');
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: `Note on ${WRITE}` });
  await dialog.getByRole('textbox').fill('one byte per call <b>here</b>');
  expect(await seriousViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'User notes' }).getByText('one byte per call <b>here</b>').waitFor();
  expect(printed('notes', experiment)).toContain(`${WRITE}\n   one byte per call <b>here</b>\n`);

  await page.reload();
  await analyzer.goTo('User notes');
  await page.getByText('one byte per call').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: `Change the note on ${WRITE}` }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('changed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('changed', { exact: true }).waitFor();
  await page.getByRole('link', { name: WRITE }).click();
  await analyzer.settled();
  await page.getByRole('button', { name: `Change the note on ${WRITE}` }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: `Change the note on ${WRITE}` }).waitFor({ state: 'detached' });
  expect(printed('notes', experiment)).toBe('There is no note.\n');
});

it('a note on a time range is a mark in the timeline', async () => {
  const { page } = analyzer;
  await analyzer.link('#/timeline?f=time+in+1s..2s');
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('warm-up');
  await page.getByRole('button', { name: 'Save' }).click();
  const mark = page.getByRole('button', { name: 'Note on 1s to 2s: warm-up' });
  await mark.waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await mark.click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await mark.waitFor({ state: 'detached' });
});

it('link, command and report file open the shown view with the note', { timeout: 120_000 }, async () => {
  const { page } = analyzer;
  await analyzer.link('#/functions?m=machine&f=mode+is+system');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('button', { name: 'Share this view …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this view' });
  await dialog.getByRole('textbox').fill('look <i>here</i>');
  expect(await seriousViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy: Link' }).click();
  const link = await copied(page);
  expect(link).not.toContain('token');
  await dialog.getByRole('button', { name: 'Copy: Command' }).click();
  const command = await copied(page);
  const save = dialog.getByRole('button', { name: 'Save the report file' });
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  expect(download.suggestedFilename()).toBe('slow.html');

  const shown = async (opened: Analyzer) => {
    expect(opened.page.url()).toContain('#/functions?');
    expect(await opened.page.getByRole('note').innerText()).toContain('look <i>here</i>');
    expect(opened.page.url()).toContain('m=machine');
    expect(opened.problems).toEqual([]);
    await opened.close();
  };
  await page.keyboard.press('Escape');
  await page.goto(link);
  expect(await page.getByRole('note').innerText()).toContain('look <i>here</i>');
  await page.getByRole('note').getByRole('button', { name: 'Close' }).click();
  expect(page.url()).not.toContain('note=');

  const at =
    execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n')
      .at(-1) ?? '';
  const other = await View.of(WHITTLE, ['view', '--no-open', experiment, '--at', at]);
  onTestFinished(() => other.stop());
  await shown(await Analyzer.open(browser, other.address));

  const files = mkdtempSync(join(tmpdir(), 'whittle-shared-'));
  onTestFinished(() => rmSync(files, { recursive: true, force: true }));
  await download.saveAs(join(files, 'saved.html'));
  await shown(await Analyzer.open(browser, addressOfFile(join(files, 'saved.html'))));
  expect(readFileSync(join(files, 'saved.html'), 'utf8')).toContain('id="whittle-at">/functions?');
});

const PYTHON = process.env.WHITTLE_PYTHON;

it.skipIf(PYTHON === undefined)('the query of DuckDB has the functions of the view', async () => {
  const { page } = analyzer;
  await analyzer.link('#/functions?m=machine&metric=system_cpu&f=time+in+2s..5s');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('button', { name: 'Copy as DuckDB command' }).click();
  await page.getByText('The command was copied').waitFor();
  const sql = (await copied(page)).split('\n').slice(1, -1).join('\n');
  const script = 'import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.stdin.read()).fetchall()))';
  const rows = JSON.parse(execFileSync(PYTHON ?? '', ['-c', script], { input: sql, encoding: 'utf8' })) as [
    string,
    number,
    number,
  ][];
  const words = ['--mode', 'machine', '--metrics', 'e.system_cpu,i.system_cpu', '--filter', 'time in 2s..5s', '--limit', '20'];
  const shown = JSON.parse(printed('functions', experiment, ...words, '--json')) as {
    rows: { function: string; exclusive_system_cpu_ns: number; inclusive_system_cpu_ns: number }[];
  };
  const values = new Map(rows.map(([name, exclusive, inclusive]) => [name, [exclusive, inclusive]]));
  expect(shown.rows.length).toBeGreaterThan(5);
  // The tables have the JVM's names of lambdas, and no row for whittle's own programs. Programs in the kernel of another whittle, which
  // can run beside the test, have the same name several times.
  const plain = shown.rows.filter(
    ({ function: name, exclusive_system_cpu_ns: exclusive }) =>
      exclusive > 0 && !name.includes('<') && !name.startsWith('bpf_prog_'),
  );
  for (const row of plain) {
    const [exclusive = -1, inclusive = -1] = values.get(row.function) ?? [];
    expect(exclusive, row.function).toBeCloseTo(row.exclusive_system_cpu_ns / 1e9, 6);
    expect(inclusive, row.function).toBeCloseTo(row.inclusive_system_cpu_ns / 1e9, 6);
  }
});
