/** Whether so many of the pictures may be removed by mistake, so that somebody has to confirm it. */
export const isLargePart = (removed: number, total: number, tolerated = 20): boolean =>
  removed > tolerated && removed > total / 10;
