/** At most so many characters, and an ellipsis if some are cut off. */
export function shorten(text: string, maxLength: number): string {
  const characters = [...text.slice(0, 2 * maxLength)];
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : text;
}
