/** Something that the service depends on does not answer for now. The message is for the log, not for clients. */
export class Unavailable extends Error {}
