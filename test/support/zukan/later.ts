/** Preloaded into a child process (`--import`) whose clock is ahead: by a minute, so that files that were just written count as old. */
const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 60_000);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parameters: []) {
    super(...(parameters.length > 0 ? parameters : ([RealDate.now() + ahead] as unknown as [])));
  }
  static override now(): number {
    return RealDate.now() + ahead;
  }
} as DateConstructor;
