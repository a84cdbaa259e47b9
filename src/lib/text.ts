/** At most so many characters, and an ellipsis if some are cut off. */
export function shorten(text: string, maxLength: number): string {
  // One more than that many, each of which may be two code units.
  const characters = [...text.slice(0, 2 * maxLength + 2)];
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : text;
}
