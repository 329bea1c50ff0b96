// The program under test, and the browser pages that it serves.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

export const ROOT = join(import.meta.dirname, '../..');
export const WHITTLE = process.env.WHITTLE ?? join(ROOT, 'target/debug/whittle');
export const FLEET = process.env.WHITTLE_FLEET ?? join(ROOT, 'target/debug/whittle-fleet');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The output of the command line. */
export function printed(...words: string[]): string {
  return printedBy(WHITTLE, ...words);
}

export function printedBy(program: string, ...words: string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
}

/** Collects a workload for some seconds. */
export function collectWorkload(main: string, experiment: string, options: readonly string[] = [], seconds = 6): void {
  const workloads = join(ROOT, 'java/workloads/target');
  const path = `${workloads}/whittle-workloads.jar:${workloads}/lib/*`;
  const program = ['java', '-cp', path, main, '--seconds', String(seconds)];
  const words = ['collect', '-q', '-f', '-o', experiment, ...options, '--', ...program];
  execFileSync(WHITTLE, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** `whittle view` or `whittle-fleet serve` while a test runs. */
export class View {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  static async start(...experiments: string[]): Promise<View> {
    const sources = join(ROOT, 'java/workloads/src/main/java');
    return View.of(WHITTLE, ['view', '--no-open', '--source-path', sources, ...experiments]);
  }

  /** Starts a program that prints the page's address. */
  static async of(program: string, words: readonly string[]): Promise<View> {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const address = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (part: Buffer) => {
        text += part.toString();
        const found = /http:\/\/\S+/.exec(text);
        if (found) resolve(found[0]);
      });
      child.on('exit', (status) => reject(new Error(`${words[0]} ended with ${status} before it was ready`)));
    });
    return new View(child, address);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGINT');
    await ended;
  }
}

export async function startBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}: apt-get install chromium`);
  const quiet = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-sync', ...quiet] });
}

export function addressOfFile(path: string): string {
  return String(pathToFileURL(path));
}

/** A page that fails the test on any error, and records every request. */
export class Analyzer {
  readonly problems: string[] = [];
  readonly requests: string[] = [];

  private constructor(readonly page: Page) {}

  static async open(browser: Browser, address: string): Promise<Analyzer> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => undefined);
    const page = await context.newPage();
    const analyzer = new Analyzer(page);
    page.on('pageerror', (error) => analyzer.problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') analyzer.problems.push(message.text());
    });
    page.on('request', (request) => analyzer.requests.push(request.url()));
    page.on('dialog', (dialog) => {
      analyzer.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(address);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await analyzer.settled();
    return analyzer;
  }

  /** Goes to a view by its link. */
  async goTo(title: string): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: false }).click();
    await this.settled();
  }

  /** Goes to a state in the same way as a link. */
  async link(hash: string): Promise<void> {
    await this.page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await this.settled();
  }

  /** Waits until no request is running. */
  async settled(): Promise<void> {
    await this.page.waitForTimeout(150);
    // Graphs and timelines have no rows before their first answer.
    const waiting =
      '.stale, [aria-busy="true"], .loading, .flame-scroller[aria-rowcount="0"], .timeline-scroller[aria-rowcount="0"]';
    await this.page.waitForFunction((selector) => document.querySelector(selector) === null, waiting);
    await this.page.waitForTimeout(50);
  }

  /** The texts of the rows on screen, cell by cell. The name is last, as in the terminal. */
  async rows(label: string): Promise<string[][]> {
    const grid = this.page.getByRole('grid', { name: label, exact: true });
    const cells = (row: Element) =>
      [...row.querySelectorAll('.cell:not(.name)'), ...row.querySelectorAll('.cell.name')].map(
        (cell) => cell.textContent?.trim() ?? '',
      );
    return grid.locator('.table-row').evaluateAll((rows, source) => {
      const read = new Function(`return ${source}`)() as (row: Element) => string[];
      return rows.map(read);
    }, cells.toString());
  }

  /** The whole view, as the command `Save as text` writes it. */
  async savedText(): Promise<string> {
    await this.page.getByRole('button', { name: 'Export', exact: true }).click();
    const save = this.page.getByRole('button', { name: 'Save as text', exact: true });
    const [download] = await Promise.all([this.page.waitForEvent('download'), save.click()]);
    return readDownload(download);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

async function readDownload(download: { createReadStream(): Promise<NodeJS.ReadableStream> }): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
