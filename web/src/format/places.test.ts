import { expect, test } from 'vitest';
import { placeWords } from './places';

test('a place names what is known', () => {
  expect(placeWords({ file: 'Slow.java', line: 5, loaded: 'app.jar' })).toBe('Slow.java:5, app.jar');
  expect(placeWords({ file: 'Slow.java', line: null, loaded: null })).toBe('Slow.java');
  expect(placeWords({ file: null, line: 5, loaded: 'libc.so.6' })).toBe('libc.so.6');
  expect(placeWords({ file: null, line: null, loaded: null })).toBeUndefined();
});
