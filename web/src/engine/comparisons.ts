// Comparisons of open experiments through the server of `whittle view`.
import type { ComparedNumbers } from './engine';
import type { HttpEngine } from './http';

/** The prefix of the server's addresses for comparisons. */
export const COMPARE = '/api/compare/';

/** Compares open experiments. Returns the number of the comparison in the list of experiments. */
export async function compare(engine: HttpEngine, sides: ComparedNumbers): Promise<number> {
  const { experiment } = await engine.json<{ experiment: number }>(COMPARE, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(sides),
  });
  return experiment;
}
