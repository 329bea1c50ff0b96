// Measures the timeline of `whittle view` in headless Chromium: `node frames.mjs WHITTLE EXPERIMENT [REPEATS]`.
//
// The output is one line of JSON per repeat. Times are in milliseconds:
//
// - pan, zoom: script of the page's main thread per frame while the shown time moves with every frame. `cpu` is processor time, and
//   does not depend on other load. `wall` is elapsed time. Both have the median, the 95th percentile and the longest frame.
// - heat map: from the click until the map is drawn (`drawn_ms`), the request alone (`request_ms`), and the processor time of
//   `whittle view` meanwhile (`engine_cpu_ms`)

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const [whittle, experiment, repeats = '3'] = process.argv.slice(2);
if (!experiment) {
  console.error('usage: node frames.mjs WHITTLE EXPERIMENT [REPEATS]');
  process.exit(2);
}
const PATIENCE_MS = 120_000;
const FRAMES = 180;
/** Pixels of one turn of the wheel: a fast movement of a finger. */
const TURN = 40;
/** Events of a trace that are script. */
const SCRIPT = new Set(['EventDispatch', 'FunctionCall', 'EvaluateScript', 'FireAnimationFrame', 'TimerFire', 'RunMicrotasks', 'v8.callFunction']);
/** The clock of `/proc/PID/stat` has 100 ticks per second. */
const MS_PER_TICK = 10;

const view = await started();
try {
  for (let repeat = 0; repeat < Number(repeats); repeat++) console.log(JSON.stringify(await measured()));
} finally {
  view.child.kill('SIGINT');
}

/** Starts `whittle view`, and waits for the page's address. */
async function started() {
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
  return { child, address };
}

async function measured() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(view.address);
    await page.evaluate(() => {
      location.hash = '#/timeline';
    });
    await page.waitForFunction(() => /\w/.test(document.querySelector('.timeline-thread')?.textContent ?? ''));
    await page.waitForTimeout(1000);
    const rows = await page.locator('.timeline-scroller').getAttribute('aria-rowcount');
    const zoom = await framesOf(page, { ctrlKey: true, deltaY: -TURN / 10 });
    const pan = await framesOf(page, { deltaX: TURN });
    return { experiment, rows: Number(rows), zoom, pan, heat_map: await heatMap(page) };
  } finally {
    await browser.close();
  }
}

/** Turns the wheel once in each frame, there and back, and measures the script of each frame. */
async function framesOf(page, turn) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'devtools.timeline,blink.user_timing' });
  await page.evaluate(turnInFrames, { frames: FRAMES, turn });
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const scripts = scriptsOf(events);
  return { frames: scripts.length, cpu: summary(scripts.map((script) => script.cpu)), wall: summary(scripts.map((script) => script.wall)) };
}

/** Runs in the page. A mark separates the frames. */
async function turnInFrames({ frames, turn }) {
  const canvas = document.querySelector('.timeline-canvas');
  const box = canvas.getBoundingClientRect();
  const at = { clientX: box.x + box.width / 2, clientY: box.y + 40, bubbles: true, cancelable: true };
  for (let frame = 0; frame <= frames; frame++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    performance.mark('frame');
    const sign = frame < frames / 2 ? 1 : -1;
    canvas.dispatchEvent(
      new WheelEvent('wheel', { ...at, ...turn, deltaX: sign * (turn.deltaX ?? 0), deltaY: sign * (turn.deltaY ?? 0) }),
    );
  }
}

/** The script of each frame: the script events between two marks that are not part of another one. */
function scriptsOf(events) {
  const marks = events.filter((event) => event.name === 'frame' && event.cat.includes('user_timing'));
  const times = marks.map((mark) => mark.ts).sort((a, b) => a - b);
  const { pid, tid } = marks[0];
  const scripts = events.filter((event) => event.ph === 'X' && event.pid === pid && event.tid === tid && SCRIPT.has(event.name));
  scripts.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const frames = times.slice(1).map(() => ({ cpu: 0, wall: 0 }));
  let [frame, end] = [0, 0];
  for (const { ts, dur = 0, tdur = dur } of scripts) {
    if (ts < end || ts < times[0]) continue;
    end = ts + dur;
    while (frame < frames.length && ts >= times[frame + 1]) frame++;
    if (frame === frames.length) break;
    frames[frame].cpu += tdur / 1000;
    frames[frame].wall += dur / 1000;
  }
  return frames;
}

function summary(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] * 10) / 10;
  return { p50: at(0.5), p95: at(0.95), longest: at(1) };
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
