// Colours of frames by the kind of code, for canvases and legends. The hues are close to those of common flame graphs.
// People without red, green or blue cones can distinguish any two colours (a test checks this). Text on all colours is
// drawn in `FRAME_INK`, with a contrast of at least 4.5.

/** The engine's binary answers contain codes. A code is a position in this list. */
export const FRAME_KINDS = [
  { name: 'pseudo', title: 'no code', light: '#d0d0e7', dark: '#8b8d9d' },
  { name: 'jit', title: 'Java, compiled', light: '#46d061', dark: '#5aab4a' },
  { name: 'interpreted', title: 'Java, interpreted', light: '#bdedc9', dark: '#addebb' },
  { name: 'c1', title: 'Java, C1', light: '#dfed83', dark: '#cfe081' },
  { name: 'inlined', title: 'Java, inlined', light: '#47ddbd', dark: '#45b4b7' },
  { name: 'jvm', title: 'JVM', light: '#e0d53e', dark: '#d0c547' },
  { name: 'native', title: 'native', light: '#eb726c', dark: '#fb746b' },
  { name: 'kernel', title: 'kernel', light: '#f2950f', dark: '#dc8311' },
  { name: 'stub', title: 'stub', light: '#cab3e6', dark: '#bba4df' },
  { name: 'truncated', title: 'not walked', light: '#b8a798', dark: '#a99c8d' },
] as const;

/** Colour of matches of a search. */
export const MATCH_COLOUR = { light: '#ee5cf0', dark: '#e85aea' } as const;

/** Colour of waits in stack charts: muted, so that code stands out. */
export const WAIT_COLOUR = { light: '#88a0c0', dark: '#6781b6' } as const;

/** The colour of text on all frame colours. */
export const FRAME_INK = '#14171c';

export type Appearance = 'light' | 'dark';

export function frameColour(kind: number, appearance: Appearance): string {
  return (FRAME_KINDS[kind] ?? FRAME_KINDS[0])[appearance];
}

/** States of threads, for the timeline and its legend. The reasons of waits have blue and purple hues. */
export const STATE_COLOURS: Readonly<Record<string, { title: string; light: string; dark: string }>> = {
  user: { title: 'user CPU', light: '#2f9e5f', dark: '#3fb573' },
  system: { title: 'system CPU', light: '#e07b1a', dark: '#e8913c' },
  run_queue: { title: 'waits for a CPU', light: '#d63d5c', dark: '#e85d78' },
  preemption: { title: 'preempted', light: '#b02a6f', dark: '#cf4f92' },
  quota: { title: 'CPU quota', light: '#8f1d1d', dark: '#f0625c' },
  futex: { title: 'futex', light: '#7c8fd9', dark: '#6f83d1' },
  socket: { title: 'socket', light: '#3b6fd1', dark: '#5a8bea' },
  pipe: { title: 'pipe', light: '#59b3d9', dark: '#63bfe6' },
  poll: { title: 'poll', light: '#a5b4e3', dark: '#8997c9' },
  file: { title: 'file', light: '#8a4fbf', dark: '#a674d6' },
  sleep: { title: 'sleep', light: '#c9cede', dark: '#4a5163' },
  page_fault: { title: 'page fault', light: '#c77fcc', dark: '#b56dba' },
  memory_limit: { title: 'memory limit', light: '#b8862f', dark: '#c99a4a' },
  stopped: { title: 'stopped', light: '#5b6470', dark: '#a3abb8' },
  other: { title: 'other waiting', light: '#9aa1ad', dark: '#757d8c' },
  idle: { title: 'idle', light: '#eceef3', dark: '#2a2f3a' },
  gc: { title: 'GC', light: '#c9a400', dark: '#e0bd2a' },
};

/** A CSS value that changes automatically with the appearance. */
export function stateColour(state: string): string {
  const colour = STATE_COLOURS[state] ?? STATE_COLOURS.other;
  return colour ? `light-dark(${colour.light}, ${colour.dark})` : 'gray';
}

/** Lines of charts. People without red, green or blue cones can also distinguish them from each other and from the background. */
export const LINE_COLOURS: Readonly<Record<Appearance, readonly string[]>> = {
  light: ['#1740ae', '#c57b1d', '#15a375', '#a8326a', '#1773a8', '#561b70', '#805b05', '#7b242b'],
  dark: ['#489cf8', '#e8692e', '#11f29b', '#d07ba0', '#b1d6e6', '#9b27e1', '#c8b73a', '#be4d58'],
};

/** A CSS value that changes automatically with the appearance. */
export function lineColour(index: number): string {
  const at = index % LINE_COLOURS.light.length;
  return `light-dark(${LINE_COLOURS.light[at]}, ${LINE_COLOURS.dark[at]})`;
}
