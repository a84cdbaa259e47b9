/** Does the works in turn, so that a slow moment of the machine hits all of them. Returns what each measured in each round. */
export async function measureInTurn<T>(rounds: number, works: (() => Promise<T>)[]): Promise<T[][]> {
  const measured = works.map((): T[] => []);
  for (let round = 0; round <= rounds; round++)
    for (const [index, work] of works.entries()) {
      const result = await work();
      // The first round warms up.
      if (round > 0) measured[index]?.push(result);
    }
  return measured;
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median and the extremes. */
export function summarize(values: number[], format: (value: number) => string): string {
  return `${format(median(values))} (${format(Math.min(...values))}-${format(Math.max(...values))})`;
}
