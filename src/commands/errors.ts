/** A command failed. The message is for the person who ran it. */
export class CommandError extends Error {}

/** The command was called with invalid options or arguments. */
export class UsageError extends CommandError {}
