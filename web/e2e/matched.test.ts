// Tests the matched share of a search. Two other results for the same collapsed stacks must agree: a sum over the
// file's lines, and the flame graph of async-profiler's converter in the same browser.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Analyzer, addressOfFile, ROOT, startBrowser, WHITTLE } from './program';

/** Apache-2.0. Used only here, as a reference. */
const CONVERTER = 'jfr-converter-4.5.jar';
const SEARCHES = ['method12', 'kernel_function', 'Class1[0-3]\\.', 'orders.*method7'];

const folder = inject('folder');
const at = (name: string) => join(folder, name);
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  const stacks = execFileSync('node', [join(ROOT, 'bench/web/stacks.mjs'), '3000'], { maxBuffer: 1 << 28 });
  writeFileSync(at('stacks.collapsed'), stacks);
  const run = (command: string, ...words: string[]) => execFileSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  run(WHITTLE, 'import', at('stacks.collapsed'), '-f', '-o', at('stacks.whittle'));
  run(WHITTLE, 'report', at('stacks.whittle'), '-f', '-o', at('stacks.html'));
  run('java', '-jar', converter(), '-o', 'flamegraph', at('stacks.collapsed'), at('async-profiler.html'));
});
afterAll(() => browser.close());

/** The path of the converter. Maven downloads it once. */
function converter(): string {
  const cache = join(ROOT, '.cache');
  const jar = join(cache, CONVERTER);
  if (!existsSync(jar)) {
    mkdirSync(cache, { recursive: true });
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
    const words = [`-Dartifact=tools.profiler:${CONVERTER.replace('-4.5.jar', ':4.5')}`, `-DoutputDirectory=${cache}`];
    execFileSync('mvn', ['-q', '-B', copy, ...words], { stdio: 'ignore' });
  }
  return jar;
}

/** The percentage of samples with a matching frame on the stack. */
function counted(search: string): number {
  const pattern = new RegExp(search);
  let [all, matched] = [0, 0];
  for (const line of readFileSync(at('stacks.collapsed'), 'utf8').trim().split('\n')) {
    const end = line.lastIndexOf(' ');
    const count = Number(line.slice(end + 1));
    const names = line
      .slice(0, end)
      .split(';')
      .map((frame) => frame.replaceAll('/', '.'));
    all += count;
    if (names.some((name) => pattern.test(name))) matched += count;
  }
  return (100 * matched) / all;
}

it('equals the share computed from the stacks and by async-profiler', async () => {
  const analyzer = await Analyzer.open(browser, `${addressOfFile(at('stacks.html'))}#/flame-graph?m=machine`);
  const other = await browser.newPage();
  await other.goto(addressOfFile(at('async-profiler.html')));
  for (const search of SEARCHES) {
    await analyzer.page.getByRole('searchbox').fill(search);
    await analyzer.settled();
    const ours = Number(/([\d.]+) %/.exec(await analyzer.page.locator('.search-matched').innerText())?.[1]);
    const theirs = await other.evaluate((text) => {
      (window as unknown as { search(text: string): void }).search(text);
      return document.getElementById('matchval')?.textContent ?? '';
    }, search);
    expect(ours, search).toBeCloseTo(counted(search), 1);
    expect(ours, search).toBeCloseTo(Number.parseFloat(theirs), 1);
    expect(ours).toBeGreaterThan(0);
  }
  await other.close();
  await analyzer.close();
});
