import { expect, test } from 'vitest';
import { INITIAL } from '../../state/app_state';
import { decodeState, encodeState } from '../../state/codec';
import { byName, choiceOf, joinList, optionsOf, splitList, wordsOf } from './choice';

const CHOICE = {
  service: ['check,out', '100%', 'a%2Cb'],
  version: ['1.10'],
  host: [],
  region: ['eu & us'],
  label: ['zone=a'],
  since: '2026-11-22T14:30',
  until: '2026-11-22T15:00',
  price: '0.05',
};

test('the address keeps settings with any names', () => {
  const state = { ...INITIAL, view: 'fleet', options: optionsOf({ 'fleet.function': 'A.f' }, CHOICE) };
  const restored = decodeState(encodeState(state));
  expect(choiceOf(restored.options)).toEqual(CHOICE);
  expect(restored.options['fleet.function']).toBe('A.f');
});

test('initial settings are not in the address', () => {
  const nothing = choiceOf({});
  expect(nothing).toMatchObject({ service: [], since: '1h', until: 'now', price: null });
  expect(optionsOf({ 'fleet.host': 'h1', 'timeline.from': '3' }, nothing)).toEqual({ 'timeline.from': '3' });
});

test('the address that whittle-fleet serve prints is read', () => {
  const { view, options } = decodeState(
    '#/fleet?o.fleet.service=shop%2Ca+b&o.fleet.version=1%2525&o.fleet.label=zone%3Da&o.fleet.since=24h',
  );
  expect(view).toBe('fleet');
  expect(choiceOf(options)).toMatchObject({
    service: ['shop', 'a b'],
    version: ['1%'],
    label: ['zone=a'],
    since: '24h',
    until: 'now',
  });
});

test('requests do not contain the default price', () => {
  expect(wordsOf(CHOICE).price).toBe(0.05);
  expect('price' in wordsOf({ ...CHOICE, price: null })).toBe(false);
});

test('lists and order of names', () => {
  expect(splitList(joinList(['a,b', 'c', '%2C']))).toEqual(['a,b', 'c', '%2C']);
  expect(splitList('')).toEqual([]);
  expect(['1.10', '1.9', '1.9.1'].sort(byName)).toEqual(['1.9', '1.9.1', '1.10']);
});
