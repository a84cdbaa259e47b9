/** Why a command did not do its work, told to the person who called it. */
export class CommandError extends Error {}

/** It was called wrongly. */
export class UsageError extends CommandError {}
