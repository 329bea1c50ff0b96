// Tests the cards of findings on the first page: their texts and their links, served and in the report file.
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Analyzer, addressOfFile, printed, startBrowser, View } from './program';

const folder = inject('folder');
const experiment = join(folder, 'slow.whittle');

interface Found {
  findings: {
    rank: number;
    title: string;
    confidence: string;
    filter: string;
    calling: { function: string };
    site: { state: string; line?: number };
  }[];
}

let browser: Browser;
let found: Found;
beforeAll(async () => {
  browser = await startBrowser();
  found = JSON.parse(printed('findings', experiment, '--json')) as Found;
});
afterAll(() => browser.close());

describe.each(['served', 'report file'] as const)('%s', (kind) => {
  let view: View | undefined;
  let address: string;
  let analyzer: Analyzer;

  beforeAll(async () => {
    view = kind === 'served' ? await View.start(experiment) : undefined;
    address = view?.address ?? addressOfFile(join(folder, 'slow.html'));
  });
  afterAll(() => view?.stop());
  beforeEach(async () => {
    analyzer = await Analyzer.open(browser, address);
    await analyzer.page.getByRole('article').first().waitFor();
  });
  afterEach(async () => {
    const { problems } = analyzer;
    await analyzer.close();
    expect(problems).toEqual([]);
  });

  it('names the cause, the calling line and the three numbers', async () => {
    const cards = await analyzer.page.getByRole('article').allInnerTexts();
    expect(cards.length).toBe(found.findings.length);
    expect(found.findings[0]?.title).toBe('Unbuffered write');
    const [first = ''] = cards;
    expect(first).toContain('Unbuffered write');
    expect(first).toContain('ExtOutputStream.java:');
    expect(first).toMatch(/Spent here\s+\d+ % of the CPU time/);
    expect(first).toMatch(/95 % interval \d+ to \d+ %, in this experiment/);
    expect(first).toMatch(/Expected saving\s+\d+ to \d+ % of the CPU time/);
    expect(first).toMatch(/Measured saving\s+not measured yet/);
    expect(first).toContain('BufferedOutputStream');
    expect(await analyzer.page.locator('#view').innerText()).not.toMatch(/no problem/i);
  });

  it('leads to the samples of a finding, and Back leads back', async () => {
    const { page } = analyzer;
    const [first] = found.findings;
    await page
      .getByRole('link', { name: `Flame graph: ${first?.title}` })
      .first()
      .click();
    await analyzer.settled();
    const query = new URLSearchParams(page.url().split('?').at(-1));
    expect(query.getAll('f')).toEqual([first?.filter]);
    await page.locator('.flame canvas').waitFor();
    // The samples of the finding, with the same filter on the command line.
    await analyzer.goTo('Functions');
    const words = ['--limit', '100', '--mode', 'machine', '--filter', first?.filter ?? ''];
    expect((await analyzer.savedText()).trimEnd()).toBe(printed('functions', experiment, ...words).trimEnd());
    await page.goBack();
    await page.goBack();
    await page.getByRole('article').first().waitFor();
    expect(page.url()).not.toContain('f=');
  });

  it('leads to the callers of the calling method and to its source', async () => {
    const { page } = analyzer;
    const [first] = found.findings;
    await page
      .getByRole('link', { name: `Callers & callees: ${first?.title}` })
      .first()
      .click();
    await analyzer.settled();
    expect((await analyzer.rows('Centre')).map((row) => row.join(' ')).join()).toContain('ExtOutputStream.write');
    await page.goBack();
    await page
      .getByRole('link', { name: `Source: ${first?.title}` })
      .first()
      .click();
    await analyzer.settled();
    expect(await page.locator('#view').innerText()).toContain('ExtOutputStream');
  });

  it('is used by keys alone', async () => {
    const { page } = analyzer;
    const card = page.getByRole('article').first();
    await card.locator('summary', { hasText: 'Evidence' }).focus();
    await page.keyboard.press('Enter');
    await card.getByRole('heading', { name: 'Evidence' }).waitFor();
    expect(await card.innerText()).toMatch(/calls per second/);
    await card.getByRole('link', { name: /^Flame graph/ }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.flame canvas').waitFor();
    // The link is gone. The keys go on in the opened view.
    const focused = () => page.evaluate(() => document.activeElement?.closest('#view [role], #view [tabindex]') !== null);
    await expect.poll(focused).toBe(true);
  });

  it.each(['light', 'dark'] as const)('is accessible with everything open: %s', async (appearance) => {
    const { page } = analyzer;
    if (appearance === 'dark') await page.getByRole('button', { name: 'Dark appearance', exact: true }).click();
    await page.locator('details').evaluateAll((all) => {
      for (const each of all) each.setAttribute('open', '');
    });
    const { violations } = await new AxeBuilder({ page: page as never }).analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`)).toEqual([]);
  });

  if (kind === 'report file') {
    it('states that its findings are those of the whole experiment', async () => {
      await analyzer.link('#/home?f=time+in+1s..3s');
      expect(await analyzer.page.locator('#view').innerText()).toContain('findings of the whole experiment');
    });
  }
});
