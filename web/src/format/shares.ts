// Shares as findings say them; the same rules as the command line's, so that both say the same.

/** A share in percent with two digits: `84 %`, `5.3 %`. Next to everything is `over 99 %`, next to nothing `below 0.1 %`. */
export function share(ratio: number): string {
  const value = ratio * 100;
  if (ratio >= 1) return '100 %';
  if (value >= 99.5) return 'over 99 %';
  if (value > 0 && value < 0.05) return 'below 0.1 %';
  return `${digits(value)} %`;
}

/** An interval of shares: `82 to 86 %`. */
export function interval(low: number, high: number): string {
  return `${digits(low * 100)} to ${digits(high * 100)} %`;
}

function digits(value: number): string {
  return value !== 0 && Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0);
}
