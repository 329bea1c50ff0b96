// Tests what the page shows before the user has selected anything: the picture of the overview, and the starts of views.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Analyzer, addressOfFile, printed, startBrowser, View } from './program';

const experiment = join(inject('folder'), 'slow.whittle');
/** The package of the program's own code. */
const OWN = 'whittle.workloads.';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

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

  it('divides the CPU time by owner of the code, and each part leads to its samples', async () => {
    const { page } = analyzer;
    const breakdown = page.getByRole('region', { name: 'Time breakdown' });
    const legend = breakdown.getByRole('list', { name: 'CPU by code' });
    const parts = await legend.getByRole('listitem').allInnerTexts();
    expect(parts.join()).toContain('own code');
    const shares = parts.map((part) => Number(/([\d.]+) %/.exec(part)?.[1]));
    const sum = shares.reduce((all, share) => all + share, 0);
    // Each share is rounded.
    expect(Math.abs(sum - 100)).toBeLessThan(parts.length);
    expect(await breakdown.innerText()).toMatch(/100 % is .*: the CPU of all shown samples/);

    await legend.getByRole('link', { name: 'kernel' }).click();
    await analyzer.settled();
    const query = new URLSearchParams(page.url().split('?').at(-1));
    expect([query.getAll('f'), query.get('m')]).toEqual([['code is kernel'], 'machine']);
    const words = ['--limit', '100', '--mode', 'machine', '--filter', 'code is kernel'];
    expect((await analyzer.savedText()).trimEnd()).toBe(printed('functions', experiment, ...words).trimEnd());
    await page.goBack();
    await breakdown.waitFor();
  });

  it('divides the waits by what the threads waited for', async () => {
    const legend = analyzer.page.getByRole('list', { name: 'Waits by reason' });
    await legend.getByRole('link').first().click();
    await analyzer.settled();
    expect(new URLSearchParams(analyzer.page.url().split('?').at(-1)).getAll('f').join()).toMatch(/^wait is \w+$/);
    expect((await analyzer.rows('Functions')).length).toBeGreaterThan(0);
  });

  it('opens source, details and sandwich on the hottest own function', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Function details');
    expect(await page.locator('.fd-subtitle').innerText()).toContain(OWN);
    await analyzer.goTo('Source');
    const label = await page.locator('.src-table [role="grid"], .src-table[role="grid"]').first().getAttribute('aria-label');
    expect(label).toContain(`Source of ${OWN}`);
    await analyzer.goTo('Sandwich');
    expect(await page.locator('.sandwich-function').innerText()).toContain(OWN);
  });

  it('opens callers and callees on the hottest own function, and keeps <Total> if the user chooses it', async () => {
    const { page } = analyzer;
    await analyzer.goTo('Callers & callees');
    const centre = async () => (await analyzer.rows('Centre')).map((row) => row.join(' ')).join();
    expect(await centre()).toContain(OWN.split('.')[0]);
    expect(new URLSearchParams(page.url().split('?').at(-1)).getAll('c').join()).toContain(OWN);
    await page.getByRole('button', { name: 'Centre on <Total>' }).click();
    await analyzer.settled();
    expect(await centre()).toContain('<Total>');
    await page.reload();
    await analyzer.settled();
    expect(await centre()).toContain('<Total>');
  });

  it('finds functions by a part of their name', async () => {
    await analyzer.goTo('Functions');
    await analyzer.page.getByRole('searchbox', { name: 'Find functions' }).fill('outc');
    await analyzer.page.getByText(/^\d+ rows? found$/).waitFor();
    await analyzer.settled();
    const names = (await analyzer.rows('Functions')).map((row) => row.at(-1)?.toLowerCase());
    expect(names.length).toBeGreaterThan(0);
    expect(names.every((name) => name?.includes('outc'))).toBe(true);
    const words = ['--limit', '100', '--named', 'outc'];
    expect((await analyzer.savedText()).trimEnd()).toBe(printed('functions', experiment, ...words).trimEnd());
  });

  it('accepts names of functions and packages without quotes', async () => {
    const { page } = analyzer;
    await analyzer.link('#/functions?f=stack+has+package+org.w3c.tidy');
    const rows = await analyzer.rows('Functions');
    await analyzer.link('#/functions?f=stack+has+package+%22org.w3c.tidy%22');
    expect(await analyzer.rows('Functions')).toEqual(rows);
    expect(await page.locator('.failure').count()).toBe(0);
  });
});

describe('report file', () => {
  it('opens source and details on a function, too', async () => {
    const analyzer = await Analyzer.open(browser, addressOfFile(join(inject('folder'), 'slow.html')));
    await analyzer.goTo('Function details');
    expect(await analyzer.page.locator('.fd-subtitle').innerText()).not.toBe('');
    await analyzer.goTo('Source');
    await analyzer.page.locator('.src-table').first().waitFor();
    expect(analyzer.problems).toEqual([]);
    await analyzer.close();
  });
});
