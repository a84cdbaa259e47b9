/** What visitors type, as a pattern of the search language. */

/** The characters that have a meaning in a pattern. */
const operators = /[%_|*+?{}()[\]\\]/;

export function isPattern(text: string): boolean {
  return operators.test(text);
}

/** Names that contain the text, whatever its characters mean in a pattern. */
export function containing(text: string): string {
  return text && `%${text.replaceAll(new RegExp(operators, 'g'), '\\$&')}%`;
}

/** Text without operators is part of a name. */
export function toPattern(text: string): string {
  const trimmed = text.trim();
  return isPattern(trimmed) ? trimmed : containing(trimmed);
}
