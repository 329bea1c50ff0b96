// Reads a time in a run that the user typed.

/** The units of typed times. A number without a unit is in seconds. */
const UNITS_NS: Readonly<Record<string, number>> = { d: 86_400e9, h: 3600e9, min: 60e9, s: 1e9, ms: 1e6, '': 1e9 };

/** The nanoseconds of a typed time: `12.3`, `12.3 s`, `2 min 5 s`, or a time as the axis shows it. Undefined: it is no time. */
export function typedTime(text: string): number | undefined {
  const written = text.replace(/,(?=\d{3}\b)/g, '').trim();
  if (!/^(\d*\.?\d+ *(d|h|min|ms|s|$) *)+$/.test(written)) return undefined;
  const parts = [...written.matchAll(/([\d.]+) *([a-z]*)/g)];
  return Math.round(parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNITS_NS[unit] ?? Number.NaN), 0));
}
