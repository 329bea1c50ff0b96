import { expect, test } from 'vitest';
import { completionOf, offersOf } from './completion';

const offered = (text: string, names: string[] = []) => {
  const completion = completionOf(text);
  return completion ? offersOf(completion, names, 8).map((offer) => offer.text) : undefined;
};

test('fields are completed at the start and after the words that join conditions', () => {
  expect(offered('th')).toEqual(['thread = ', 'thread ~ ']);
  expect(offered('stack h')).toEqual(['stack has ', 'stack has package ', 'stack has binary ']);
  expect(offered('thread = "a and b" and mo')).toEqual(['thread = "a and b" and mode is ']);
  expect(offered('not (req')).toEqual(['not (request is ', 'not (request contains ', 'not (request_time > ']);
  expect(offered('')).toBeUndefined();
  expect(offered('thread = "main"')).toBeUndefined();
});

test('values are completed with the words of the syntax', () => {
  expect(offered('mode is ')).toEqual(['mode is user', 'mode is system']);
  expect(offered('event is off')).toEqual(['event is off_cpu']);
});

test('names of threads, functions and packages are inserted in quotes', () => {
  expect(completionOf('thread=')).toEqual({ before: 'thread=', typed: '', source: 'thread' });
  expect(offered('thread=work', ['main', 'Worker 1', 'worker "2"'])).toEqual(['thread="Worker 1"', 'thread="worker ""2"""']);
  expect(offered('thread=1', ['Worker 1', '1st'])).toEqual(['thread="1st"', 'thread="Worker 1"']);
  expect(completionOf('thread = "wor')).toEqual({ before: 'thread = ', typed: 'wor', source: 'thread' });
  expect(completionOf('pool is ')?.source).toBe('pool');
  expect(completionOf('mode is user and leaf is java.io.F')).toEqual({
    before: 'mode is user and leaf is ',
    typed: 'java.io.F',
    source: 'function',
  });
  expect(completionOf('stack has package ja')).toEqual({ before: 'stack has package ', typed: 'ja', source: 'package' });
});
