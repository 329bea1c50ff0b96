// Measures Firefox Profiler in headless Chromium, as `frames.mjs` does for whittle: `node firefox_frames.mjs DIST PROFILE.json [REPEATS]`.
//
// DIST is the folder of a built Firefox Profiler, and PROFILE.json is a file of `firefox_profile.py`. The script serves both on the loopback
// interface. The output is one line of JSON per repeat. Times are in milliseconds:
//
// - loaded_ms, loaded_script_ms: until the page has drawn the marker chart, as elapsed time and as script
// - one, visible: pan and zoom in the marker chart of the selected thread, and of all threads that the page shows at first
// - commit, back: script of one zoom of all tracks to the selected range, and of the way back to the full range

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, extname, join, resolve, sep } from 'node:path';
import { PAN, ZOOM, framesOf, scriptOf, zoomIn, zoomOut } from './frame_script.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const [dist, profile, repeats = '3'] = process.argv.slice(2);
if (!profile) {
  console.error('usage: node firefox_frames.mjs DIST PROFILE.json [REPEATS]');
  process.exit(2);
}
const PATIENCE_MS = 300_000;
const CHART = '.markerChartCanvas';
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html', '.json': 'application/json', '.svg': 'image/svg+xml' };

const server = await started();
try {
  for (let repeat = 0; repeat < Number(repeats); repeat++) console.log(JSON.stringify(await measured()));
} finally {
  server.close();
}

/** Serves the viewer, its page for all other addresses, and the profile. */
async function started() {
  const root = resolve(dist);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.split('?')[0]);
    const asked = path === '/profile.json' ? resolve(profile) : join(root, path);
    const known = asked === resolve(profile) || (asked.startsWith(root + sep) && existsSync(asked) && statSync(asked).isFile());
    const file = known ? asked : join(root, 'index.html');
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

async function measured() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    page.setDefaultTimeout(PATIENCE_MS);
    const address = `http://127.0.0.1:${server.address().port}`;
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const start = performance.now();
    await page.goto(`${address}/from-url/${encodeURIComponent(`${address}/profile.json`)}/marker-chart/`);
    await page.locator(CHART).waitFor({ state: 'attached' });
    await page.waitForFunction((chart) => document.querySelector(chart).width > 300, CHART);
    const loaded_ms = Math.round(performance.now() - start);
    await page.waitForTimeout(2000);
    const { metrics } = await session.send('Performance.getMetrics');
    const metric = (name) => metrics.find((metric) => metric.name === name).value;
    const loaded_script_ms = Math.round(metric('ScriptDuration') * 1000);
    const heap_mb = Math.round(metric('JSHeapUsedSize') / 1e6);
    const tracks = (await page.locator('.timelineSettingsHiddenTracks').textContent()).replace(/[^\d/]/g, '');
    const one = await chart(page);
    const others = page.locator('.timelineTrackLocalRow:not(.selected) .timelineTrackNameButton');
    const visible_threads = 1 + (await others.count());
    while ((await others.count()) > 0) await others.first().click({ modifiers: ['Control'] });
    await page.waitForTimeout(2000);
    const visible = await chart(page);
    const commit = await scriptOf(page, () => page.locator('.timelineSelectionOverlayZoomButton').click({ force: true }));
    const back = await scriptOf(page, () => page.locator('.filterNavigatorBar button').first().click());
    return { profile: basename(profile), loaded_ms, loaded_script_ms, heap_mb, tracks, one, visible_threads, visible, commit, back };
  } finally {
    await browser.close();
  }
}

/** Zoom and pan in the marker chart, from the full range. At the end, about a third of the time is selected. */
async function chart(page) {
  await zoomOut(page, CHART);
  const zoom = await framesOf(page, CHART, ZOOM);
  await zoomIn(page, CHART);
  const pan = await framesOf(page, CHART, PAN);
  return { zoom, pan };
}
