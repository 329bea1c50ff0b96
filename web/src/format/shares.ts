// Shares in findings. The rules are the same as on the command line, so that both show the same text.

/** A share in percent with two digits: `84 %`, `5.3 %`. The limits are `over 99 %` and `below 0.1 %`. */
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
