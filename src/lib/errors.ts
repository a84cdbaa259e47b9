/** A dependency (database, Redis, storage) does not respond. The message is for the log, not for clients. */
export class Unavailable extends Error {}
