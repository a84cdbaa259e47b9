/** Finds the metadata of a GIF file: XMP, comments and unknown application extensions. */
import { type Part, partAt, type Range, trailerAt } from './part.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const COMMENT = 0xfe;
const APPLICATION = 0xff;
const XMP = 'XMP DataXMP';
const harmless = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];
/** Follows XMP, so that a reader that takes it for a list of sub-blocks finds their end. */
const MAGIC_TRAILER = Buffer.from([0x01, 0xff, 0xfe, 0xfd]);
const SPACE = 0x20;

export function* gifMetadata(bytes: Buffer): Generator<Part, void> {
  let position = 13 + colourTableSize(bytes[10] ?? 0);
  while (position < bytes.length) {
    const type = bytes[position];
    if (type === IMAGE) {
      const blocks = position + 10 + colourTableSize(bytes[position + 9] ?? 0) + 1;
      position = endOfBlocks(bytes, blocks);
    } else if (type === EXTENSION) {
      const start = position + 2;
      position = endOfBlocks(bytes, start);
      yield* extensionMetadata(bytes, bytes[start - 1] ?? 0, { start, end: position });
    } else {
      // The end of the file, or damaged data.
      position++;
      break;
    }
  }
  if (position < bytes.length) yield trailerAt(bytes, position);
}

function* extensionMetadata(bytes: Buffer, label: number, blocks: Range): Generator<Part, void> {
  if (label !== COMMENT && label !== APPLICATION) return;
  const identifier = bytes.toString('latin1', blocks.start + 1, blocks.start + 12);
  if (label === APPLICATION && harmless.includes(identifier)) return;
  const start = blocks.start + 12;
  const length = bytes.subarray(start, blocks.end).indexOf(MAGIC_TRAILER);
  if (label === APPLICATION && identifier === XMP && length !== -1)
    yield partAt('xmp', bytes, [{ start, end: start + length }]);
  else yield blockPart(bytes, label === APPLICATION ? { start, end: blocks.end } : blocks);
}

/** Spaces replace the data, because a zero would end the sub-blocks. */
function blockPart(bytes: Buffer, { start, end }: Range): Part {
  const replace = () => {
    const blank = Buffer.from(bytes.subarray(start, end));
    for (let at = 0; at < blank.length; at += 1 + (blank[at] ?? 0))
      blank.fill(SPACE, at + 1, Math.min(blank.length, at + 1 + (blank[at] ?? 0)));
    return [{ start, end, bytes: blank }];
  };
  return { kind: 'unknown', data: bytes.subarray(start, end), replace };
}

const colourTableSize = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The position after a list of sub-blocks, each a length and that many bytes, up to an empty one. */
function endOfBlocks(bytes: Buffer, start: number): number {
  let position = start;
  for (let length = bytes[position]; length; length = bytes[position]) position += 1 + length;
  return Math.min(bytes.length, position + 1);
}
