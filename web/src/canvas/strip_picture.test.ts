import { expect, test } from 'vitest';
import { pixelOf, stripPixels } from './strip_picture';
import { STRIP_HEIGHT, type TimelineStrips } from './timeline_painter';

const LOOK = { palette: { states: { user: '#102030', futex: '#ff0000' }, line: '#dddddd' }, hidden: new Set<string>() };

/** Two threads with two bins of 10 ns. The second row is a pool of two threads. */
const STRIPS: TimelineStrips = {
  ns: Float32Array.of(5, 0, 5, 10, 10, 0, 0, 20),
  lanes: [1, 2],
  fromNs: 0,
  binNs: 10,
  bins: 2,
  threadCount: 2,
  states: ['user', 'futex'],
};

/** The colours of a bin from the top, each with the number of pixels. */
function column(bin: number, hidden: string[] = []): string[] {
  const { width, height, colours } = stripPixels(STRIPS, { ...LOOK, hidden: new Set(hidden) }, 1);
  const names = new Map([
    [pixelOf('#102030'), 'user'],
    [pixelOf('#ff0000'), 'futex'],
    [0, '-'],
  ]);
  const parts: [string, number][] = [];
  for (let row = 0; row < height; row++) {
    const name = names.get(colours[row * width + bin]!) ?? '?';
    const last = parts.at(-1);
    if (last?.[0] === name) last[1]++;
    else parts.push([name, 1]);
  }
  return parts.map(([name, count]) => `${name} ${count}`);
}

test('states are stacked from the bottom, and a pool is the mean of its threads', () => {
  expect(column(0)).toEqual(['futex 12', 'user 12', '- 18', 'user 12', '- 6']);
  expect(column(1)).toEqual(['futex 24', '- 6', 'futex 24', '- 6']);
  expect(column(0, ['user'])).toEqual(['- 12', 'futex 12', '- 36']);
});

test('a screen with several pixels per CSS pixel gets a taller picture', () => {
  expect(stripPixels(STRIPS, LOOK, 2)).toMatchObject({ width: 2, height: 4 * STRIP_HEIGHT });
});

test('a pixel has its colours in the order of a picture’s bytes', () => {
  expect([...new Uint8Array(Uint32Array.of(pixelOf('#102030')).buffer)]).toEqual([0x10, 0x20, 0x30, 0xff]);
});
