// Measures the script of a page's main thread in each frame, for `frames.mjs` and `firefox_frames.mjs`.
//
// The input is a page of Playwright with a canvas that zooms and moves when the wheel turns. The times are milliseconds. Nothing here
// knows a viewer.

const FRAMES = 180;
/** Pixels of one turn of the wheel: a fast movement of a finger. */
const TURN = 40;
/** `leg`: after so many frames, the wheel turns back. A pan stays within the run, so that the page moves in every frame. */
export const PAN = { deltaX: TURN, leg: 20 };
export const ZOOM = { ctrlKey: true, deltaY: -TURN / 10, leg: FRAMES / 2 };
/** Frames of a zoom to about a third of the time. */
const ZOOM_IN_FRAMES = 30;
/** Time in which a page finishes what an action started, also on a busy machine. */
const QUIET_MS = 4000;
/** Events of a trace that are script. */
const SCRIPT = new Set(['EventDispatch', 'FunctionCall', 'EvaluateScript', 'FireAnimationFrame', 'TimerFire', 'RunMicrotasks', 'v8.callFunction']);

/** Turns the wheel once in each frame, there and back, and measures the script of each frame. */
export async function framesOf(page, canvas, turn) {
  const events = await traced(page, () => page.evaluate(turnInFrames, { canvas, frames: FRAMES, turn }));
  const scripts = scriptsOf(events);
  return { frames: scripts.length, cpu: summary(scripts.map((script) => script.cpu)), wall: summary(scripts.map((script) => script.wall)) };
}

/** Zooms in, so that there is something to pan to. */
export async function zoomIn(page, canvas) {
  await page.evaluate(turnInFrames, { canvas, frames: ZOOM_IN_FRAMES, turn: ZOOM });
}

/** Zooms out to the full range. */
export async function zoomOut(page, canvas) {
  const turn = { ...ZOOM, deltaY: -ZOOM.deltaY };
  await page.evaluate(turnInFrames, { canvas, frames: 2 * ZOOM_IN_FRAMES, turn });
}

/** The script of one action until the page has been quiet for a while, in milliseconds of processor time. */
export async function scriptOf(page, action) {
  const events = await traced(page, async () => {
    await page.evaluate(() => performance.mark('frame'));
    await action();
    await page.waitForTimeout(QUIET_MS);
    await page.evaluate(() => performance.mark('frame'));
  });
  return Math.round(scriptsOf(events)[0].cpu);
}

async function traced(page, action) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'devtools.timeline,blink.user_timing' });
  await action();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return events;
}

/** Runs in the page. A mark separates the frames. */
async function turnInFrames({ canvas, frames, turn }) {
  const element = document.querySelector(canvas);
  const box = element.getBoundingClientRect();
  const at = { clientX: box.x + box.width / 2, clientY: box.y + 40, bubbles: true, cancelable: true };
  for (let frame = 0; frame <= frames; frame++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    performance.mark('frame');
    const sign = Math.floor(frame / turn.leg) % 2 === 0 ? 1 : -1;
    element.dispatchEvent(
      new WheelEvent('wheel', { ...at, ctrlKey: turn.ctrlKey, deltaX: sign * (turn.deltaX ?? 0), deltaY: sign * (turn.deltaY ?? 0) }),
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
