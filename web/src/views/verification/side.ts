/** A side of a verification. */
export type Side = 'baseline' | 'candidate';

export const SIDES: readonly Side[] = ['baseline', 'candidate'];
