// The sides of a verification, in their order.
import type { Side } from '../../engine/verification';

export const SIDES: readonly Side[] = ['baseline', 'candidate'];
