/** Decodes percent-encoded text. */

/** UTF-8 without overlong forms and surrogates, as RFC 3629 defines it. */
const next = '%[89ab][\\da-f]';
const characters = [
  '%[0-7][\\da-f]',
  `%(?:c[2-9a-f]|d[\\da-f])${next}`,
  `%e0%[ab][\\da-f]${next}`,
  `%(?:e[1-9a-cef])(?:${next}){2}`,
  `%ed%[89][\\da-f]${next}`,
  `%f0%[9ab][\\da-f](?:${next}){2}`,
  `%f[1-3](?:${next}){3}`,
  `%f4%8[\\da-f](?:${next}){2}`,
];
const valid = new RegExp(`^[^%]*(?:(?:${characters.join('|')})[^%]*)*$`, 'i');

/**
 * A text with invalid escapes stays as it is. It is recognised before it is decoded, because an exception takes 10 µs, and a
 * client can send thousands of invalid escapes.
 */
export function decodeEscapes(text: string): string {
  return text.includes('%') && valid.test(text) ? decodeURIComponent(text) : text;
}
