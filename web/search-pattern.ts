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

/** Names that start with a letter, or with none of them. */
export function letterPattern(letter: string): string {
  return letter === '#' ? '[^a-z]%' : `${letter.toLowerCase()}%`;
}

/** The letter that a pattern is about, if it is one of the above. */
export function letterOf(pattern: string): string | undefined {
  if (pattern === letterPattern('#')) return '#';
  return /^[a-z]%$/.test(pattern) ? pattern.slice(0, 1).toUpperCase() : undefined;
}
