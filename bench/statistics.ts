export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** `min-max` */
export function spread(values: number[], format: (value: number) => string): string {
  return `${format(Math.min(...values))}-${format(Math.max(...values))}`;
}
