import { describe, expect, test } from 'vitest';
import type { Column } from '../engine/answers';
import { cellOf, fieldOf, headingOf, languageOf } from './columns';
import { nameParts, packageOf, shortName, shortPackage } from './names';
import {
  cell,
  counted,
  type DisplayUnit,
  fixed,
  grouped,
  knownPercent,
  mean,
  millisCell,
  percent,
  readable,
  roughPercent,
  seconds,
  timeOnAxis,
  withUnit,
} from './numbers';
import { quoted, unquoted } from './quoting';

describe('numbers', () => {
  test('on a time axis have the digits of their distance', () => {
    expect([0, 5e9, 130e9, 7210e9].map((ns) => timeOnAxis(ns, 1e9))).toEqual(['0 s', '5 s', '2 min 10 s', '120 min 10 s']);
    expect(timeOnAxis(7200e9, 600e9)).toBe('2 h');
    expect([200e6, 1e9].map((ns) => timeOnAxis(ns, 200e6))).toEqual(['0.2 s', '1.0 s']);
    expect(timeOnAxis(130_250e6, 1e6)).toBe('130.250 s');
    expect(timeOnAxis(1_000_002_000, 1000)).toBe('1,000.002 ms');
  });
  test('in cells are those of the CLI', () => {
    expect(cell(9_117_946_585, 'nanoseconds')).toBe('9.118');
    expect(cell(14_550_353, 'bytes')).toBe('14.550');
    expect(cell(1246.67, 'count')).toBe('1,247');
    expect(cell(-1_234_567, 'count')).toBe('-1,234,567');
    expect(percent(0.9144234166)).toBe('91.44 %');
    expect([0.999, 1].map(knownPercent)).toEqual(['99 %', '100 %']);
    expect([4_487_000, 400, -400, null].map(millisCell)).toEqual(['4.487', '0.000', '0.000', '–']);
    expect(withUnit(15_000, 'count')).toBe('15,000');
    expect(withUnit(119_400_000_000, 'nanoseconds')).toBe('119.400 s');
    expect(withUnit(164_097_974_794, 'nanoseconds')).toBe('2 min 44 s');
  });

  test.each<[number, DisplayUnit, string]>([
    [0, 'nanoseconds', '0 s'],
    [99_960, 'nanoseconds', '100 µs'],
    [9_999, 'nanoseconds', '10.0 µs'],
    [1, 'nanoseconds', '1 ns'],
    [766.61, 'nanoseconds', '767 ns'],
    [999_400_000, 'nanoseconds', '999 ms'],
    [999_600_000, 'nanoseconds', '1.00 s'],
    [1974.4, 'nanoseconds', '1.97 µs'],
    [85_178_971, 'nanoseconds', '85.2 ms'],
    [119_400_000_000, 'nanoseconds', '119 s'],
    [119_600_000_000, 'nanoseconds', '2 min'],
    [164_097_974_794, 'nanoseconds', '2 min 44 s'],
    [7_199_400_000_000, 'nanoseconds', '119 min 59 s'],
    [7_199_600_000_000, 'nanoseconds', '2 h'],
    [12_345e9, 'nanoseconds', '3 h 26 min'],
    [172_770e9, 'nanoseconds', '48 h'],
    [200_000e9, 'nanoseconds', '2 d 8 h'],
    [-164e9, 'nanoseconds', '-2 min 44 s'],
    [868_000, 'bytes', '868 kB'],
    [6_969_841, 'count', '6.97 million'],
    [14_522, 'count', '14,522'],
    [-2_000_000, 'nanoseconds', '-2 ms'],
    [0.634, 'ratio', '63 %'],
    [0, 'ratio', '0 %'],
  ])('%d %s reads %j', (value, unit, text) => {
    expect(readable(value, unit)).toBe(text);
  });

  test('small shares keep a digit', () => {
    expect([0, 0.004, 0.0994, 0.0996, 0.914].map(roughPercent)).toEqual(['0 %', '0.4 %', '9.9 %', '10 %', '91 %']);
  });

  test('whole numbers are grouped, times for filters exact', () => {
    expect(grouped(6_981_372)).toBe('6,981,372');
    expect([1234.5678, -12_345_678.9, 999.96, 0.12345].map((value) => fixed(value, 1))).toEqual([
      '1,234.6',
      '-12,345,678.9',
      '1,000.0',
      '0.1',
    ]);
    expect(fixed(0.123456, 6)).toBe('0.123456');
    expect([cell(1_234_567e6, 'nanoseconds'), cell(1_234_567e3, 'bytes'), mean(12_345.67)]).toEqual([
      '1,234.567',
      '1,234.567',
      '12,345.7',
    ]);
    expect(timeOnAxis(1_250_003_000, 1000)).toBe('1,250.003 ms');
    expect(counted(1, 'caller')).toBe('1 caller');
    expect(counted(2, 'caller')).toBe('2 callers');
    expect([0, 1, 10e9, 1_500_000_000].map(seconds)).toEqual(['0s', '0.000000001s', '10s', '1.5s']);
  });
});

describe('columns', () => {
  const column = (text: Partial<Column>): Column => ({
    flavour: 'exclusive',
    metric: 'cpu',
    title: 'CPU',
    unit: 'nanoseconds',
    is_percent: false,
    ...text,
  });

  test.each([
    [column({}), 'exclusive_cpu_ns', 'e.cpu', 'CPU s'],
    [column({ flavour: 'inclusive', is_percent: true }), 'inclusive_cpu_ratio', 'i.cpu%', 'CPU %'],
    [
      column({ flavour: 'attributed', metric: 'io_bytes', unit: 'bytes', title: 'I/O bytes' }),
      'attributed_io_bytes',
      'a.io_bytes',
      'I/O bytes MB',
    ],
    [
      column({ flavour: 'plain', metric: 'alloc_count', unit: 'count', title: 'Objects' }),
      'alloc_count',
      'alloc_count',
      'Objects',
    ],
    [
      column({ flavour: 'plain', metric: 'syscalls', unit: 'count', title: 'System calls' }),
      'syscalls_count',
      'syscalls',
      'System calls',
    ],
  ])('%o', (of, field, language, heading) => {
    expect([fieldOf(of), languageOf(of), headingOf(of)]).toEqual([field, language, heading]);
  });

  test('a missing value is 0', () => {
    expect(cellOf({}, column({}))).toBe('0.000');
    expect(cellOf({ exclusive_cpu_ns: 'text' }, column({}))).toBe('0.000');
  });
});

describe('names', () => {
  test.each([
    ['java.io.FileOutputStream.write(int, boolean)', 'java.io.', 'FileOutputStream.write', '(int, boolean)'],
    ['org.w3c.tidy.PPrint.flushLine(org.w3c.tidy.Out, int)', 'org.w3c.tidy.', 'PPrint.flushLine', '(Out, int)'],
    ['A.f', '', 'A.f', ''],
    ['<JVM-System>', '', '<JVM-System>', ''],
    ['os::PlatformMonitor::wait', '', 'os::PlatformMonitor::wait', ''],
    ['__libc_start_main', '', '__libc_start_main', ''],
    ['java.util.*', 'java.util.', '*', ''],
    ['a.b.C$$Lambda$8.0x00007fdefc00d098.run()', 'a.b.', 'C$$Lambda$8.0x00007fdefc00d098.run', '()'],
  ])('%j in parts', (name, packageName, own, signature) => {
    expect(nameParts(name)).toEqual({ package: packageName, name: own, signature });
  });

  test('packages are shortened from the left, the last part never', () => {
    expect(shortPackage('whittle.workloads.crc.slow.', 40)).toBe('whittle.workloads.crc.slow.');
    expect(shortPackage('whittle.workloads.crc.slow.', 20)).toBe('w.w.crc.slow.');
    expect(shortPackage('', 3)).toBe('');
    expect(shortName('a.b.C.f(a.b.D)')).toBe('C.f(D)');
    expect(packageOf('a.b.C.f()')).toBe('a.b');
    expect(packageOf('memcpy')).toBeUndefined();
  });

  test('quotes are doubled and read back', () => {
    for (const text of ['A.f', 'operator""_s', '"', '', 'a\\b']) expect(unquoted(quoted(text))).toBe(text);
    expect(unquoted('A.f')).toBeUndefined();
    expect(unquoted('"a"b"')).toBeUndefined();
  });
});
