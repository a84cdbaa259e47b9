/** Sets of small numbers as bits, of one size that the maker chooses. */
export type Bits = Uint32Array;

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31));
}

/** All from the first to the last. */
export function setBits(bits: Bits, first: number, last: number): void {
  for (let index = first; index <= last; ) {
    const isWord = index % 32 === 0 && index + 31 <= last;
    if (isWord) bits[index >>> 5] = 0xffffffff;
    else setBit(bits, index);
    index += isWord ? 32 : 1;
  }
}

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
}

/** Adds the second to the first. */
export function addBits(bits: Bits, more: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word] = (bits[word] as number) | (more[word] as number);
}

export function commonBits(a: Bits, b: Bits): Bits {
  return a.map((word, index) => word & (b[index] as number));
}

/** Leaves in the first what is in the second too. */
export function keepBits(bits: Bits, kept: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word] = (bits[word] as number) & (kept[word] as number);
}

/** Takes the second out of the first. */
export function dropBits(bits: Bits, dropped: Bits): void {
  for (let word = 0; word < bits.length; word++)
    bits[word] = (bits[word] as number) & ~(dropped[word] as number);
}

export function clearBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) & ~(1 << (index & 31));
}

/** How many bits of a word are set. */
export function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function forEachBit(bits: Bits, visit: (index: number) => void): void {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1)
      visit(word * 32 + 31 - Math.clz32(rest & -rest));
  }
}
