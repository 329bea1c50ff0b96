import { expect, test } from 'vitest';
import { EngineError } from '../../engine/answer';
import { activityRange, missingWords } from './compared_runs';

test('a bin has the same length in a run that ends earlier', () => {
  const shown = { fromNs: 0, toNs: 100, bins: 50 };
  expect(activityRange(shown, 100)).toEqual({ from_ns: 0, to_ns: 100, bins: 50 });
  expect(activityRange(shown, 40)).toEqual({ from_ns: 0, to_ns: 40, bins: 20 });
  expect(activityRange({ ...shown, fromNs: 50 }, 75)).toEqual({ from_ns: 50, to_ns: 75, bins: 25 });
  expect(activityRange(shown, 0.1)).toEqual({ from_ns: 0, to_ns: 0.1, bins: 1 });
});

test('a run that has ended before, and a window without width, need no request', () => {
  expect(activityRange({ fromNs: 50, toNs: 100, bins: 50 }, 50)).toBeNull();
  expect(activityRange({ fromNs: 0, toNs: 100, bins: 0 }, 100)).toBeNull();
});

test('a run without the pool of a filter is no error', () => {
  const wrong = (problem: string) =>
    `the filter is wrong at character 9: ${problem}\npool is "exec-#"\n        ^\nexample: thread ~ "worker"`;
  const words = (problem: string, kind = 'filter') => missingWords(new EngineError(wrong(problem), kind));
  expect(words('no pool is called "exec-#"; `whittle threads` lists all')).toBe('This run has no pool "exec-#"');
  expect(words('no thread is called "a; "b""; `whittle threads` lists all')).toContain('This run has no thread "a; "b"');
  expect(words('no function "A.f" in this experiment')).toBe('This run has no function "A.f"');
  expect(words('no file or peer has the name "/x"; `whittle syscalls --by file` lists all')).toBe(
    'This run has no file or peer "/x"',
  );
  expect(words('expected a name, found the end')).toBeUndefined();
  expect(words('no pool is called "exec-#"', 'transport')).toBeUndefined();
});
