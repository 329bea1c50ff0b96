import { expect, test } from 'vitest';
import { filterWords, isTransform, transformWords } from './words';

test.each([
  ['thread = "main"', 'thread main'],
  ['thread = #12', 'thread #12'],
  ['pool is "pool-3-thread-#"', 'pool pool-3-thread-#'],
  ['pool is #12', 'pool of thread #12'],
  ['time in 1.234567891s..20s', 'time 1.234 s to 20 s'],
  ['stack has "java.io.FileOutputStream.write(int)"', 'stacks with FileOutputStream.write(int)'],
  ['stack has fragment "a.B.f() > a.C.g()"', 'stacks with B.f() → C.g()'],
  ['not stack has package "java.util"', 'stacks without package java.util'],
  ['leaf is "say ""hi"""', 'ends in say "hi"'],
  ['class is "java.lang.String[]"', 'objects of java.lang.String[]'],
  ['class is "byte[]"', 'objects of byte[]'],
  ['file is "tcp 10.0.0.7:5432"', 'file or peer tcp 10.0.0.7:5432'],
  ['request is "GET /orders/{}"', 'request GET /orders/{}'],
  ['request contains "/orders"', 'requests with /orders'],
  ['request_time > 500ms', 'requests longer than 500 ms'],
  ['event is page_fault', 'events: page fault'],
  ['thread = "a" or thread = "b"', 'thread = "a" or thread = "b"'],
])('the filter %j reads %j', (part, words) => {
  expect(filterWords(part)).toBe(words);
});

test.each([
  ['focus "java.lang.Thread.run()"', 'only Thread.run() and its callees'],
  ['merge package "java.util"', 'package java.util merged into its callers'],
  ['hide "A.f"', 'stacks with A.f hidden'],
  ['collapse binary "libc.so.6"', 'binary libc.so.6 as one frame'],
  ['collapse recursion', 'recursion as one frame'],
  ['fold frameworks', 'framework frames as one frame'],
])('the transform %j reads %j', (line, words) => {
  expect(isTransform(line)).toBe(true);
  expect(transformWords(line)).toBe(words);
});

test('a filter is not a transform', () => {
  expect(isTransform('mode is system')).toBe(false);
  expect(isTransform('merged')).toBe(false);
});
