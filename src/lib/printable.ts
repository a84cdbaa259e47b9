/** Control characters, line separators, unpaired surrogates, and characters that change the direction of the text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u{feff}]/gu;

/**
 * One line that cannot control the terminal or pass for several: names of files and records may come from strangers.
 * Escapes as JSON does, so JSON stays the same.
 */
export function printable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
