export const DAY_MS = 86_400_000;

/** Returns the time in milliseconds since 1970. */
export type Clock = () => number;

/** Calls back after the given milliseconds, unless the returned function is called before. */
export type StartTimer = (milliseconds: number, onElapsed: () => void) => () => void;
