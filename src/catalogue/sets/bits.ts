/** Fixed-size bitmaps. */
export type Bits = Uint32Array;

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31));
}

export function clearBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) & ~(1 << (index & 31));
}

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
}

/** Sets every bit from `first` to `last`, both included. */
export function setBits(bits: Bits, first: number, last: number): void {
  for (let index = first; index <= last; ) {
    const isWholeWord = index % 32 === 0 && index + 31 <= last;
    if (isWholeWord) bits[index >>> 5] = 0xffffffff;
    else setBit(bits, index);
    index += isWholeWord ? 32 : 1;
  }
}

// Of two bitmaps, the shorter one has no bits beyond its end.

/** Adds the bits of `other` to `bits`, in place. */
export function addBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < Math.min(bits.length, other.length); word++)
    bits[word] = (bits[word] as number) | (other[word] as number);
}

/** Clears the bits that `other` does not have, in place. */
export function intersectBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++)
    bits[word] = (bits[word] as number) & (other[word] as number);
}

/** Clears the bits that `other` has, in place. */
export function subtractBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < Math.min(bits.length, other.length); word++)
    bits[word] = (bits[word] as number) & ~(other[word] as number);
}

/** A new bitmap with the bits that both have. */
export function commonBits(a: Bits, b: Bits): Bits {
  return a.map((word, index) => word & (b[index] as number));
}

/** The number of bits set in a 32-bit word. */
export function popCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Visits the bits that are set, in ascending order. */
export function forEachBit(bits: Bits, visit: (index: number) => void): void {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1)
      visit(word * 32 + 31 - Math.clz32(rest & -rest));
  }
}
