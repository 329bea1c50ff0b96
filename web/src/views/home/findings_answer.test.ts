import { describe, expect, test } from 'vitest';
import type { Figure, Finding, FindingsView } from '../../engine/answers';
import { interval, share } from '../../format/shares';
import { INITIAL } from '../../state/app_state';
import { changed } from '../../state/change';
import { decodeState, encodeState } from '../../state/codec';
import { joinedFilter } from '../../state/filter_parts';
import {
  deniedWords,
  expectedWords,
  holderWords,
  minorWords,
  missingData,
  nothingFound,
  ofProgram,
  placeOf,
  predictionWords,
  showIn,
  trialNotes,
  trialWords,
  unitCostWords,
  viewsOf,
  withRest,
  workWords,
} from './findings_answer';

const FINDING: Finding = {
  rank: 1,
  detector: 'unbuffered-write',
  title: 'Unbuffered write',
  confidence: 'certain',
  criteria: [],
  spent: {
    measure: 'cpu',
    ratio: 0.8412,
    low_ratio: 0.8154,
    high_ratio: 0.8631,
    of: 'CPU time of main',
    value: 5.05e9,
    samples_count: 505,
    program_ratio: 0.8261,
    work_ratio: 0.8261,
  },
  expected: {
    modelled_ratio: 0.812,
    low_ratio: 0.734,
    high_ratio: 0.863,
    endpoint: 'cpu',
    model: 'call',
    program_low_ratio: 0.72,
    program_high_ratio: 0.85,
  },
  saving_note: 'a byte in a buffer costs less',
  unit_cost: null,
  anchor: 'java.io.FileOutputStream.write(int)',
  calling: { function: 'app.Main$CrcOut.write(int)', file: 'Main.java', line: 5, text: null, lines: [], library: null },
  site: { state: 'none' },
  evidence: [],
  fix: 'Wrap it in `new BufferedOutputStream(…)`.',
  check_first: [],
  page: 'findings/unbuffered-write.md',
  filter: 'stack has "app.Main$CrcOut.write(int)" and (stack has "a&b#?%" or stack has "ü \\" x") and time in 2.1s..',
  trial: { state: 'impossible', reason: 'the line to edit was not found' },
  tried: null,
};

const NOTHING: FindingsView = {
  view: 'findings',
  filter: null,
  notes: [],
  work: { groups: [], cpu_ns: null, samples_count: 0, from_ns: 0, to_ns: 0, warm_up: '' },
  quality: [],
  findings: [],
  tried_together: null,
  minor: [],
  denied: [],
  left_out: { findings: 0, minor: 0, denied: 0 },
  unplaced_ratio: 0,
  largest_unplaced: null,
  union_ratio: 0,
  scattered: [],
  units: null,
  largest_unexplained: { function: 'a.B.c()', ratio: 0.0612 },
  checked_count: 41,
  unknown_classes: ['slow starts'],
  not_checked: [
    { detector: 'boxing', title: 'Boxing', needs: 'allocations' },
    { detector: 'gc', title: 'Garbage collection', needs: 'allocations' },
    { detector: 'lock', title: 'Locks', needs: 'waits' },
  ],
};

describe('words of findings', () => {
  test('have two digits', () => {
    expect([0.8412, 0.0531, 0.5, 0.998, 1, 0.0001, 0].map(share)).toEqual([
      '84 %',
      '5.3 %',
      '50 %',
      'over 99 %',
      '100 %',
      'below 0.1 %',
      '0 %',
    ]);
    expect(interval(0.8154, 0.8631)).toBe('82 to 86 %');
  });

  test('show the result of the last trial with its notes', () => {
    expect(trialNotes(FINDING)).toEqual([]);
    const tried: Finding['tried'] = {
      detector: 'unbuffered-write',
      function: 'app.Main$CrcOut.write(int)',
      remedy: 'buffer-output',
      promise: 'kept',
      result: 'improved',
      ratio: 0.17,
      low_ratio: 0.14,
      high_ratio: 0.21,
      runs_count: 5,
      words: 'improved, −83 % (wrapped in a BufferedOutputStream)',
      notes: ['the place is in a library'],
    };
    expect(trialWords({ ...FINDING, tried })).toBe('improved, −83 % (wrapped in a BufferedOutputStream)');
    expect(trialNotes({ ...FINDING, tried })).toEqual(['the place is in a library']);
  });

  test('are predictions, not bounds', () => {
    expect(expectedWords(FINDING)).toBe('73 to 86 % of the CPU time of these threads');
    const more: Finding = { ...FINDING, expected: { ...FINDING.expected!, model: 'none', endpoint: 'elapsed' } };
    expect(expectedWords(more)).toBe('73 to 86 % of the elapsed time of these threads; measure it with whittle verify');
    expect(expectedWords({ ...FINDING, expected: null })).toBe('unknown');
    expect(ofProgram(FINDING.spent)).toBe(' (83 % over all work threads)');
    expect(ofProgram({ ratio: 0.5, program_ratio: 0.502 })).toBe('');
  });

  test('say what is assumed, and nothing if data is missing', () => {
    expect(predictionWords(FINDING)).toBe('Assumed: a byte in a buffer costs less');
    const trial: Finding = { ...FINDING, expected: { ...FINDING.expected!, model: 'none' } };
    expect(predictionWords(trial)).toBe('Nothing is promised, because a byte in a buffer costs less');
    const missing = predictionWords({ ...FINDING, expected: null });
    expect(missing).toBe('Unknown, because data is missing: a byte in a buffer costs less');
  });

  test('say which condition denied a pattern', () => {
    const denied = {
      detector: 'page-faults',
      title: 'Time in page faults',
      function: 'app.Panel.paint()',
      file: null,
      line: 95,
      program_ratio: 0.15,
      measure: 'cpu' as const,
      reason: '0 page faults per second (required: at least 5000)',
    };
    expect(deniedWords(denied)).toBe(
      "Time in page faults in app.Panel.paint(), line 95, 15 % of the work threads' CPU time: denied, because 0 page faults per second (required: at least 5000)",
    );
  });

  test('say what is too small for a finding, and how much is not listed', () => {
    const minor = {
      detector: 'string-format',
      title: 'Formatting',
      function: 'app.Main.print()',
      file: null,
      line: 30,
      program_ratio: 0.012,
      measure: 'cpu' as const,
      expected: null,
    };
    const place = "Formatting in app.Main.print(), line 30, 1.2 % of the work threads' CPU time";
    expect(minorWords(minor)).toBe(place);
    const expected = { ...FINDING.expected!, program_low_ratio: 0.002, program_high_ratio: 0.03 };
    expect(minorWords({ ...minor, expected })).toBe(`${place}, expected saving 0.2 to 3.0 %`);
    expect(withRest(['a'], 0)).toEqual(['a']);
    expect(withRest(['a'], 2)).toEqual(['a', 'and 2 more']);
  });

  test('never say that there is no problem', () => {
    expect(nothingFound(NOTHING)).toBe(
      "None of the 41 checked patterns reaches 3 %. This does not mean that the program is efficient. Largest unexplained function: a.B.c(), 6.1 % of all work threads' CPU time.",
    );
    const unplaced = { unplaced_ratio: 0.55, largest_unplaced: { function: 'sha512_implCompressMB', ratio: 0.4 } };
    expect(nothingFound({ ...NOTHING, ...unplaced })).toContain(
      '55 % has no stack with a line of the program, so no finding can explain it (largest part: sha512_implCompressMB).',
    );
    expect(missingData(NOTHING)).toEqual([
      { needs: 'allocations', titles: ['Boxing', 'Garbage collection'] },
      { needs: 'waits', titles: ['Locks'] },
    ]);
  });

  test('show the known part of a place', () => {
    expect([
      placeOf({ file: 'A.java', line: 5 }),
      placeOf({ file: 'A.java', line: null }),
      placeOf({ file: null, line: 5 }),
    ]).toEqual(['A.java:5', 'A.java', 'line 5']);
    expect(placeOf({ file: null, line: null })).toBeUndefined();
  });

  test('distinguish fixed cost from cost per unit if the work varied', () => {
    const cost = {
      unit: 'messages',
      cpu_ns_per_unit: 12_345,
      kind: 'fixed',
      fixed_ratio: 0.91,
      low_ratio: 0.8,
      high_ratio: 1,
    } as const;
    expect(unitCostWords(cost)).toBe(
      '12.3 µs of CPU time for each of the messages; fixed cost (fixed part 91 %, 95 % interval 80 to 100 %)',
    );
    expect(unitCostWords({ ...cost, fixed_ratio: null })).toBe('12.3 µs of CPU time for each of the messages');
  });

  test('say how to try the fix, or why not', () => {
    expect(trialWords(FINDING)).toBe('not possible: the line to edit was not found');
    const words = 'FileOutputStream in Main.open (Main.java:4)';
    const place = { words, file: 'Main.java', line: 4, is_in_library: false };
    const trial = { remedy: 'buffer-output', title: 'wrapped', promise: 'kept', condition: '', places: [place] } as const;
    expect(trialWords({ ...FINDING, trial: { state: 'possible', ...trial, places: [place] } })).toBe(
      'whittle try … 1 measures without an edit: FileOutputStream in Main.open (Main.java:4) wrapped',
    );
  });
});

describe('the lock of a finding', () => {
  const evidence = (...figures: Figure[]) => figures.map((figure) => ({ figure, value: 0.5, text: `text of ${figure}` }));

  test('has its known holder, otherwise its likely holders', () => {
    const words = (...figures: Figure[]) => holderWords({ ...FINDING, evidence: evidence(...figures) });
    expect(words('held_ratio', 'known_holder_ratio', 'blocked_ratio')).toEqual(['text of known_holder_ratio']);
    expect(words('blocked_ratio', 'held_ratio', 'holder_ratio')).toEqual(['text of held_ratio', 'text of holder_ratio']);
    expect(words('calls_per_second')).toEqual([]);
  });

  test('leads to the view of locks, if this view is there', () => {
    const names = (detector: string, hasLocks: boolean) => viewsOf({ ...FINDING, detector }, hasLocks).map(([name]) => name);
    expect(names('lock-contention', true)).toEqual(['flame-graph', 'callers-callees', 'source', 'locks']);
    expect(names('lock-contention', false)).not.toContain('locks');
    expect(names('unbuffered-write', true)).not.toContain('locks');
  });
});

describe('links of findings', () => {
  test.each(['flame-graph', 'callers-callees', 'source', 'locks'])('keep the filter through the address: %s', (view) => {
    const state = changed(INITIAL, showIn(view, FINDING, { parts: [], metrics: [] }));
    const back = decodeState(encodeState(state));
    expect(back).toEqual(state);
    expect(back.filter).toEqual([FINDING.filter]);
    expect(joinedFilter(back.filter)).toBe(FINDING.filter);
  });

  test('extend the filter of the findings, once', () => {
    const once = showIn('flame-graph', FINDING, { parts: ['thread = "main"'], metrics: [] }).filter;
    expect(once).toEqual(['thread = "main"', FINDING.filter]);
    expect(showIn('flame-graph', FINDING, { parts: once ?? [], metrics: [] }).filter).toEqual(once);
    expect(joinedFilter(once ?? [])).toBe(`thread = "main" and (${FINDING.filter})`);
  });

  test('show the metric that the finding measures, if the experiment has it', () => {
    const metric = (measure: 'cpu' | 'elapsed', metrics: string[]) =>
      showIn('flame-graph', { ...FINDING, spent: { ...FINDING.spent, measure } }, { parts: [], metrics }).metric;
    expect(metric('elapsed', ['cpu', 'off_cpu'])).toBe('off_cpu');
    expect(metric('cpu', ['cpu', 'off_cpu'])).toBeNull();
    expect(metric('elapsed', ['cpu'])).toBeUndefined();
  });
});

test('the work names the threads and their CPU time, or says that it is unknown', () => {
  const group = (name: string, threads_count: number) => ({ name, threads_count, cpu_ratio: 0.1 });
  const groups = [group('main', 1), group('pool-#', 4), ...['a', 'b', 'c', 'd', 'e'].map((name) => group(name, 1))];
  const work = { ...NOTHING.work, groups: groups.slice(0, 2), cpu_ns: 5.05e9, samples_count: 505 };
  expect(workWords({ ...NOTHING, work })).toBe('In main, pool-# (4 threads): 5.05 s of CPU time, 505 samples');
  expect(workWords({ ...NOTHING, work: { ...work, groups } })).toContain('In main, pool-# (4 threads), a, b, c, and 2 more: ');
  const counts = { ...NOTHING.work, samples_count: 1_000_001 };
  expect(workWords({ ...NOTHING, work: counts })).toBe('CPU time unknown, 1,000,001 samples');
});
