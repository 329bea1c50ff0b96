// Takes the pictures of docs/user/analyzer.md from a report of casebook case 1: `node e2e/pictures.mjs REPORT.html` in web/.
// Takes the picture of docs/user/fleet.md: `node e2e/pictures.mjs ADDRESS FUNCTION`, with the address that whittle-fleet serve
// prints.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const folder = join(import.meta.dirname, '../../docs/user/pictures');
const [place = '', picked = ''] = process.argv.slice(2);
const isFleet = /^https?:/.test(place);
const report = String(pathToFileURL(resolve(place)));
const write = encodeURIComponent('java.io.FileOutputStream.write(int)');
const caller = encodeURIComponent('whittle.workloads.crc.slow.ExtOutputStream.write(int)');

/** @type {[name: string, state: string, colours: 'light' | 'dark'][]} */
const ofFleet = [['fleet', `&o.fleet.function=${encodeURIComponent(picked)}`, 'light']];
/** The fleet's tables are one above the other. */
const height = isFleet ? 900 : 800;
/** @type {typeof ofFleet} */
const ofReport = [
  ['overview', '#/home', 'light'],
  ['functions', `#/functions?sel=${write}`, 'light'],
  ['callers-callees', `#/callers-callees?c=${write}&sel=${write}`, 'light'],
  ['flame-graph', '#/flame-graph?m=machine&q=FileOutputStream', 'light'],
  ['flame-graph-dark', '#/flame-graph?m=machine', 'dark'],
  ['timeline', '#/timeline?f=time+in+2s..3s', 'light'],
  ['source', `#/source?sel=${caller}`, 'light'],
  ['system-calls', '#/syscalls', 'light'],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const [name, state, colorScheme] of isFleet ? ofFleet : ofReport) {
  const page = await browser.newPage({ viewport: { width: 1280, height }, colorScheme });
  await page.goto((isFleet ? place : report) + state);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.waitForTimeout(isFleet ? 4000 : 1500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
