/** An edit cannot be made. The message says why and what to do. */
export class EditError extends Error {}
