import { expect, test } from 'vitest';
import type { OverviewView } from '../engine/answers';
import { startOf } from './start_of';

const answer = (change: Partial<OverviewView>) => ({ top_functions: [], ...change }) as unknown as OverviewView;
const row = (name: string, kind = 'java') => ({ function: name, kind }) as OverviewView['top_functions'][number];

test('views start with the hottest own function', () => {
  expect(startOf(answer({ hottest_own_function: 'a.B.c()', top_functions: [row('java.util.Map.get()')] }))).toBe('a.B.c()');
});

test('without own code, they start with the first function that is code', () => {
  const rows = [row('<Total>', 'pseudo'), row('<JVM-System>'), row('java.util.Map.get()')];
  expect(startOf(answer({ top_functions: rows }))).toBe('java.util.Map.get()');
  expect(startOf(answer({}))).toBeNull();
  expect(startOf(undefined)).toBeNull();
});
