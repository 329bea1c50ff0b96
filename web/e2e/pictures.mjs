// Takes the pictures of docs/user/analyzer.md: `node e2e/pictures.mjs REPORT.html` in web/, of a report of casebook case 1.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const folder = join(import.meta.dirname, '../../docs/user/pictures');
const report = String(pathToFileURL(resolve(process.argv[2] ?? '')));
const write = encodeURIComponent('java.io.FileOutputStream.write(int)');
const caller = encodeURIComponent('whittle.workloads.crc.slow.ExtOutputStream.write(int)');

const pictures = [
  ['overview', '#/home', 'light'],
  ['functions', `#/functions?sel=${write}`, 'light'],
  ['callers-callees', `#/callers-callees?c=${write}&sel=${write}`, 'light'],
  ['flame-graph', '#/flame-graph?m=machine&q=FileOutputStream', 'light'],
  ['flame-graph-dark', '#/flame-graph?m=machine', 'dark'],
  ['timeline', '#/timeline?f=time+in+2s..3s', 'light'],
  ['source', `#/source?sel=${caller}`, 'light'],
  ['system-calls', '#/syscalls', 'light'],
];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
for (const [name, state, colorScheme] of pictures) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  await page.goto(report + state);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
