/** The ids of the listed pictures: 16 bytes each, because there may be a million of them. */

const ID_BYTES = 16;
const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export class IdList {
  readonly #bytes: Uint8Array;
  readonly #isReversed: boolean;
  readonly length: number;

  constructor(bytes: Uint8Array = new Uint8Array(), isReversed = false) {
    this.#bytes = bytes;
    this.#isReversed = isReversed;
    this.length = bytes.length / ID_BYTES;
  }

  at(index: number): string {
    const position = (this.#isReversed ? this.length - 1 - index : index) * ID_BYTES;
    let hex = '';
    for (const byte of this.#bytes.subarray(position, position + ID_BYTES)) hex += hexOf[byte];
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return parts.join('-');
  }

  /** -1 if it is not listed. */
  indexOf(id: string): number {
    const wanted = id.replaceAll('-', '').match(/../g) ?? [];
    const bytes = wanted.map((hex) => Number.parseInt(hex, 16));
    for (let position = 0; position < this.#bytes.length; position += ID_BYTES)
      if (bytes.every((byte, offset) => this.#bytes[position + offset] === byte)) {
        const index = position / ID_BYTES;
        return this.#isReversed ? this.length - 1 - index : index;
      }
    return -1;
  }

  /** Only those at these positions. */
  pick(positions: number[]): IdList {
    const bytes = new Uint8Array(positions.length * ID_BYTES);
    for (const [index, position] of positions.entries()) {
      const from = (this.#isReversed ? this.length - 1 - position : position) * ID_BYTES;
      bytes.set(this.#bytes.subarray(from, from + ID_BYTES), index * ID_BYTES);
    }
    return new IdList(bytes);
  }

  reversed(): IdList {
    return new IdList(this.#bytes, !this.#isReversed);
  }
}
