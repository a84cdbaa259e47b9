/** Any code point, as the unit of `fc.string`. fast-check's own unit `binary` is the same, but takes two seconds to set up. */
import fc from 'fast-check';

export const codePoint = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
