import { describe, expect, test } from 'vitest';
import { type AppState, INITIAL } from './app_state';
import { decodeState, encodeState } from './codec';

const FULL: AppState = {
  view: 'callers-callees',
  experiment: 2,
  mode: 'machine',
  metric: 'system_cpu',
  columns: 'e.system_cpu,i.cpu%',
  sort: 'i.cpu%',
  filter: ['thread = "a&b=c#d"', 'time in 1.5s..2s', 'stack has "operator""""_s"'],
  transforms: ['focus "A.f(int, java.lang.String[])"', 'collapse recursion'],
  selected: '<img src=x onerror=alert(1)>',
  fragment: ['A.f()', 'B.<init>(int)', 'C::operator+ % / ?'],
  zoom: [0, 17, 4294967295],
  search: 'write|flush\\(',
  note: 'Look here: 90 % & more\nsecond line',
  options: { 'flame-graph.direction': 'callers', 'syscalls.by': 'call,file' },
};

describe('the state in the URL', () => {
  test('is restored completely', () => {
    expect(decodeState(encodeState(FULL))).toEqual(FULL);
  });

  test('is short if nothing was changed', () => {
    expect(encodeState(INITIAL)).toBe('#/home');
    expect(encodeState({ ...INITIAL, view: 'functions', mode: 'expert' })).toBe('#/functions?m=expert');
  });

  test('is restored for random states', () => {
    const random = numbers(7);
    for (let round = 0; round < 300; round += 1) {
      const state = randomState(random);
      expect(decodeState(encodeState(state))).toEqual(state);
    }
  });

  test.each(['', '#', '#/', '#//', '#/%E0%A4%A', '#?x', '#/?z=1.x.3&m=root&e=-1&e=99999999999', '#/home?f=&t=&c='])(
    'of the mangled link %j is the initial one, view apart',
    (hash) => {
      const { view: _, ...state } = decodeState(hash);
      const { view: __, ...initial } = INITIAL;
      expect(state).toEqual(initial);
    },
  );

  test('text with a question mark stays complete', () => {
    expect(decodeState('#/functions?q=a%3Fb?c').search).toBe('a?b?c');
  });
});

/** A simple congruential generator: the same numbers in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

function randomState(random: () => number): AppState {
  const alphabet = ['a', 'Z', '"', ' ', '&', '=', '#', '?', '%', '+', '/', '<', 'é', '漢', '\u{1f525}', '\\', ';', ','];
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
  const list = () => Array.from({ length: Math.floor(random() * 4) }, text);
  const maybe = () => (random() < 0.5 ? null : text());
  return {
    view: text(),
    experiment: Math.floor(random() * 9),
    mode: (['user', 'expert', 'machine'] as const)[Math.floor(random() * 3)] ?? 'user',
    metric: maybe(),
    columns: maybe(),
    sort: maybe(),
    filter: list(),
    transforms: list(),
    selected: maybe(),
    fragment: list(),
    zoom: Array.from({ length: Math.floor(random() * 5) }, () => Math.floor(random() * 4294967295)),
    search: random() < 0.5 ? '' : text(),
    note: random() < 0.5 ? '' : text(),
    options: Object.fromEntries(list().map((key) => [key, text()])),
  };
}
