// Measures the timeline of `whittle view` in headless Chromium: `node frames.mjs WHITTLE EXPERIMENT [REPEATS]`.
//
// The output is one line of JSON per repeat. Times are in milliseconds:
//
// - read_ms, opened_ms: until the program has read the experiment, and from then until the page shows the first threads
// - pan, zoom: script of the page's main thread per frame while the shown time moves with every frame. `cpu` is processor time, and
//   does not depend on other load. `wall` is elapsed time. Both have the median, the 95th percentile and the longest frame.
// - heat map: from the click until the map is drawn (`drawn_ms`), the request alone (`request_ms`), and the processor time of
//   `whittle view` meanwhile (`engine_cpu_ms`)

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PAN, ZOOM, framesOf, zoomIn } from './frame_script.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const [whittle, experiment, repeats = '3'] = process.argv.slice(2);
if (!experiment) {
  console.error('usage: node frames.mjs WHITTLE EXPERIMENT [REPEATS]');
  process.exit(2);
}
const PATIENCE_MS = 120_000;
/** The clock of `/proc/PID/stat` has 100 ticks per second. */
const MS_PER_TICK = 10;

const view = await started();
try {
  for (let repeat = 0; repeat < Number(repeats); repeat++) console.log(JSON.stringify(await measured()));
} finally {
  view.child.kill('SIGINT');
}

/** Starts `whittle view`, and waits for the page's address: then the experiment has been read. */
async function started() {
  const start = performance.now();
  const child = spawn(whittle, ['view', '--no-open', experiment], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.on('exit', (status) => reject(new Error(`whittle view ended with ${status}`)));
  });
  return { child, address, read_ms: Math.round(performance.now() - start) };
}

async function measured() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    page.setDefaultTimeout(PATIENCE_MS);
    const start = performance.now();
    await page.goto(view.address);
    await page.evaluate(() => {
      location.hash = '#/timeline';
    });
    await page.waitForFunction(() => /\w/.test(document.querySelector('.timeline-thread')?.textContent ?? ''));
    const opened_ms = Math.round(performance.now() - start);
    await page.waitForTimeout(1000);
    const rows = await page.locator('.timeline-scroller').getAttribute('aria-rowcount');
    const zoom = await framesOf(page, '.timeline-canvas', ZOOM);
    await zoomIn(page, '.timeline-canvas');
    const pan = await framesOf(page, '.timeline-canvas', PAN);
    return { experiment, read_ms: view.read_ms, opened_ms, rows: Number(rows), zoom, pan, heat_map: await heatMap(page) };
  } finally {
    await browser.close();
  }
}

async function heatMap(page) {
  const before = cpuMilliseconds(view.child.pid);
  const drawn_ms = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    const start = performance.now();
    [...document.querySelectorAll('button')].find((button) => button.textContent === 'Heat map').click();
    while (Number(document.querySelector('.heat-map')?.getAttribute('aria-colcount') ?? 0) < 2) await frame();
    await frame();
    return Math.round(performance.now() - start);
  });
  const engine_cpu_ms = cpuMilliseconds(view.child.pid) - before;
  const request_ms = await page.evaluate(() => Math.round(performance.getEntriesByType('resource').at(-1).duration));
  return { drawn_ms, request_ms, engine_cpu_ms };
}

/** Processor time of a process so far, in user and kernel mode. */
function cpuMilliseconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
