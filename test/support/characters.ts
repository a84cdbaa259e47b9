/** Units of `fc.string`. fast-check's own, `binary` and `grapheme`, take seconds to set up. */
import fc from 'fast-check';

const between = (min: number, max: number) =>
  fc.integer({ min, max }).map((code) => String.fromCodePoint(code));

/** Any code point. */
export const codePoint = fc.oneof(between(0, 0xd7ff), between(0xe000, 0x10ffff));

/** What people write: letters, signs and pictures, some of several code points. */
export const character = fc.oneof(
  between(0x20, 0x7e),
  between(0xa1, 0x377),
  between(0x3041, 0x9fff),
  between(0x1f300, 0x1f64f),
  fc.constantFrom('e\u0301', 'か\u3099', '👩‍👩‍👧', '🇯🇵', 'ﬁ', '\u05d0', '\u0e01\u0e33'),
);
