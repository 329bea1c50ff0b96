// Measures viewers of flame graphs in headless Chromium: `node measure.mjs VIEWER FILE [REPEATS]`.
//
// VIEWER is whittle, whittle-threads, async-profiler, inferno or speedscope. FILE is the file that the viewer opens.
// For speedscope, the profile follows after a #. The output is one line of JSON per repeat, with these times in
// milliseconds:
//
// - ready: from opening the page to the first picture, minus the same time for an empty page
// - search: from entering the text until the matched share is displayed
// - zoom: script time of the page for one zoom
//
// The line also contains the renderer's own memory in MB (private pages). For whittle-threads, three other times
// replace search and zoom: scroll (script time of the page for one step), the slowest frame while scrolling, and the
// time from the last step until all strips are displayed.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const [viewer, file, repeats = '3'] = process.argv.slice(2);
/** Longest time to wait for a viewer. */
const PATIENCE_MS = 60_000;
const SEARCHED = 'method12';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--allow-file-access-from-files',
  // speedscope draws with WebGL, which otherwise needs a graphics card.
  '--enable-unsafe-swiftshader',
];
const SCROLL_STEPS = 60;

const viewers = {
  whittle: {
    address: (path) => `${pathToFileURL(path)}#/flame-graph`,
    ready: () => Number(document.querySelector('.flame-scroller')?.getAttribute('aria-rowcount') ?? 0) > 1,
    async search(page) {
      const input = page.locator('[data-search]');
      return timed(
        page,
        () => input.fill(SEARCHED),
        () => document.querySelector('.search-matched') !== null,
      );
    },
    async beforeZoom(page) {
      await page.locator('.flame-scroller').focus();
      for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    },
    async zoom(page) {
      await page.keyboard.press('Enter');
      await until(page, () => document.querySelector('.flame-crumbs') !== null);
    },
  },
  'whittle-threads': {
    address: (path) => `${pathToFileURL(path)}#/timeline`,
    ready: () => /\w/.test(document.querySelector('.timeline-thread')?.textContent ?? ''),
    async act(page) {
      await page.waitForTimeout(500);
      let frames;
      const script = await scriptTime(page, async () => {
        frames = await page.evaluate(scrollThrough, SCROLL_STEPS);
      });
      const threads = await page.evaluate(() =>
        Number(document.querySelector('.timeline-scroller').getAttribute('aria-rowcount')),
      );
      return { threads, scroll_script_ms: Math.round((script / SCROLL_STEPS) * 10) / 10, ...frames };
    },
  },
  'async-profiler': {
    address: (path) => String(pathToFileURL(path)),
    ready: () => typeof search === 'function' && document.querySelector('canvas')?.height > 0,
    search: (page) =>
      timed(
        page,
        () => page.evaluate((text) => search(text), SEARCHED),
        () => document.getElementById('matchval')?.textContent !== '',
      ),
    async zoom(page) {
      const canvas = await page.locator('canvas').boundingBox();
      await page.mouse.click(canvas.x + canvas.width / 3, canvas.y + 16 * 6 + 8);
    },
  },
  inferno: {
    // When zoomed in, inferno shows no result if the search has no match.
    searchesFirst: true,
    address: (path) => String(pathToFileURL(path)),
    ready: () => document.getElementById('frames') !== null && document.readyState === 'complete',
    search: (page) =>
      timed(
        page,
        () => page.evaluate((text) => search(text), SEARCHED),
        () => /Matched/.test(document.getElementById('matched')?.textContent ?? ''),
      ),
    async zoom(page) {
      await page.evaluate(() => zoom(document.querySelectorAll('#frames > g')[5]));
    },
  },
  speedscope: {
    address: (path) => `${pathToFileURL(path.split('#')[0])}#${path.split('#')[1]}`,
    // Without a profile, the title is only the program's name.
    ready: () => / - speedscope$/.test(document.title) && document.querySelectorAll('canvas').length > 1,
    async search(page) {
      await page.keyboard.press('Control+f');
      await until(page, () => document.querySelector('input') !== null);
      return timed(
        page,
        () => page.keyboard.insertText(SEARCHED),
        () => /[?\d]+\/\d+/.test(document.body.innerText),
      );
    },
    async zoom(page) {
      const canvas = await page.locator('canvas').last().boundingBox();
      await page.mouse.dblclick(canvas.x + canvas.width / 3, canvas.y + 120);
    },
  },
};
const chosen = viewers[viewer];
if (!chosen || !file) {
  console.error(`usage: node measure.mjs ${Object.keys(viewers).join('|')} FILE [REPEATS]`);
  process.exit(2);
}

for (let repeat = 0; repeat < Number(repeats); repeat++) {
  const empty = await opened('data:text/html,<canvas></canvas>', () => true, async () => ({}));
  const shown = await opened(chosen.address(file), chosen.ready, chosen.act ?? acted);
  const result = { viewer, file, ...shown, ready_ms: shown.ready_ms - empty.ready_ms, empty_mb: empty.renderer_mb };
  console.log(JSON.stringify(result));
}

/** Opens a page in a separate browser, waits for `ready` and runs `act`. */
async function opened(address, ready, act) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    page.setDefaultTimeout(PATIENCE_MS);
    const start = performance.now();
    await page.goto(address, { waitUntil: 'commit', timeout: PATIENCE_MS });
    await until(page, ready);
    const ready_ms = Math.round(performance.now() - start);
    const acts = await act(page);
    return { ready_ms, ...acts, renderer_mb: await rendererMegabytes(browser) };
  } catch (error) {
    return { ready_ms: Number.NaN, failed: String(error.message).split('\n')[0] };
  } finally {
    await browser.close();
  }
}

async function acted(page) {
  const measured = {};
  try {
    if (chosen.searchesFirst) measured.search_ms = await chosen.search(page);
    await chosen.beforeZoom?.(page);
    measured.zoom_script_ms = await scriptTime(page, () => chosen.zoom(page));
    measured.search_ms ??= await chosen.search(page);
  } catch (error) {
    measured.failed = String(error.message).split('\n')[0];
  }
  return measured;
}

/** Runs in the page: scrolls from the first thread to the last, one step per frame. */
async function scrollThrough(steps) {
  const scroller = document.querySelector('.timeline-scroller');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let [before, slowest] = [await frame(), 0];
  for (let step = 1; step <= steps; step++) {
    scroller.scrollTop = (scroller.scrollHeight * step) / steps;
    const now = await frame();
    slowest = Math.max(slowest, now - before);
    before = now;
  }
  const start = performance.now();
  const names = () => [...document.querySelectorAll('.timeline-thread')].map((name) => name.textContent);
  while (names().some((name) => !/\w/.test(name))) await frame();
  return { slowest_frame_ms: Math.round(slowest), settled_ms: Math.round(performance.now() - start) };
}

/** Waits until a condition is true in the page. Checks it from outside, because SVG pages have no animation frames. */
async function until(page, condition) {
  const end = performance.now() + PATIENCE_MS;
  while (!(await page.evaluate(condition))) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

/** Milliseconds from the start of `act` until `done` is true in the page. */
async function timed(page, act, done) {
  const start = performance.now();
  await act();
  await until(page, done);
  return Math.round(performance.now() - start);
}

/** Script time of the page's main thread while `act` runs and settles, in milliseconds. */
async function scriptTime(page, act) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'ScriptDuration').value * 1000;
  };
  const before = await read();
  await act();
  await page.waitForTimeout(500);
  return Math.round((await read()) - before);
}

/** Private memory of the largest renderer process. */
async function rendererMegabytes(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter((process) => process.type === 'renderer').map((process) => process.id);
  return Math.max(...renderers.map(privateMegabytes));
}

function privateMegabytes(id) {
  const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
  const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].map((match) => Number(match[1]));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1000);
}
