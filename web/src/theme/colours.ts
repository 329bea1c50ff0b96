// Colours of frames by the kind of code, for canvases and legends. The hues are those that users of flame graphs know;
// lightness differs enough between neighbours in hue to be told apart without colour vision.
// Text on each is drawn in `ink`, at a contrast of at least 4.5.

/** Codes of the engine's binary answers: the position in this list. */
export const FRAME_KINDS = [
  { name: 'pseudo', title: 'no code', light: '#d5d9e0', dark: '#8b93a1' },
  { name: 'jit', title: 'Java, compiled', light: '#5fd35f', dark: '#4fbb55' },
  { name: 'interpreted', title: 'Java, interpreted', light: '#c3ecc9', dark: '#b5dcb9' },
  { name: 'c1', title: 'Java, C1', light: '#d6ee8a', dark: '#cbe07f' },
  { name: 'inlined', title: 'Java, inlined', light: '#4fc9c9', dark: '#45b3b5' },
  { name: 'jvm', title: 'JVM', light: '#e0d53f', dark: '#d0c548' },
  { name: 'native', title: 'native', light: '#ee7b74', dark: '#e0736c' },
  { name: 'kernel', title: 'kernel', light: '#f0952a', dark: '#dd8a2b' },
  { name: 'stub', title: 'stub', light: '#c9b3e6', dark: '#b7a2d4' },
  { name: 'truncated', title: 'not walked', light: '#b9a58f', dark: '#a8957f' },
] as const;

/** Of what a search found. */
export const MATCH_COLOUR = { light: '#ee5cee', dark: '#e85de8' } as const;

/** Text on all of these. */
export const FRAME_INK = '#14171c';

export type Appearance = 'light' | 'dark';

export function frameColour(kind: number, appearance: Appearance): string {
  return (FRAME_KINDS[kind] ?? FRAME_KINDS[0])[appearance];
}

/** States of threads, for the timeline and its legend; reasons of waiting share the hues of blue and purple. */
export const STATE_COLOURS: Readonly<Record<string, { title: string; light: string; dark: string }>> = {
  user: { title: 'user CPU', light: '#2f9e5f', dark: '#3fb573' },
  system: { title: 'system CPU', light: '#e07b1a', dark: '#e8913c' },
  run_queue: { title: 'waits for a CPU', light: '#d63d5c', dark: '#e85d78' },
  preemption: { title: 'preempted', light: '#b02a6f', dark: '#cf4f92' },
  futex: { title: 'futex', light: '#7c8fd9', dark: '#6f83d1' },
  socket: { title: 'socket', light: '#3b6fd1', dark: '#5a8bea' },
  pipe: { title: 'pipe', light: '#59b3d9', dark: '#63bfe6' },
  poll: { title: 'poll', light: '#a5b4e3', dark: '#8997c9' },
  file: { title: 'file', light: '#8a4fbf', dark: '#a674d6' },
  sleep: { title: 'sleep', light: '#c9cede', dark: '#4a5163' },
  page_fault: { title: 'page fault', light: '#c77fcc', dark: '#b56dba' },
  other: { title: 'other waiting', light: '#9aa1ad', dark: '#757d8c' },
  gc: { title: 'GC', light: '#c9a400', dark: '#e0bd2a' },
};

/** A CSS value that follows the appearance by itself. */
export function stateColour(state: string): string {
  const colour = STATE_COLOURS[state] ?? STATE_COLOURS['other'];
  return colour ? `light-dark(${colour.light}, ${colour.dark})` : 'gray';
}
