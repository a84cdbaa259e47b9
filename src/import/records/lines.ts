/** The lines of a catalogue file: how a stream is split into them, what they may contain, and the invalid ones. */

import { isUtf8 } from 'node:buffer';
import { EDITABLE_FIELDS } from '../../catalogue/documents/edit-image.ts';
import { MAX_ALT_LENGTH, MAX_CREDIT_LENGTH } from '../../catalogue/rights.ts';
import {
  Colour,
  Count,
  dimens,
  ETag,
  KINDS,
  MAX_DESCRIPTION_LENGTH,
  MAX_FILE_NAME_LENGTH,
  MAX_TITLE_LENGTH,
  Mimetype,
  Rating,
  takenAtPattern,
  Uuid,
  WebAddress,
} from '../../catalogue/schemas.ts';
import { MAX_ALBUM_IMAGES } from '../../catalogue/writer.ts';
import * as Type from '../../lib/json-schema.ts';
import { MAX_LICENCE_LENGTH } from '../../lib/licence.ts';
import { SITE_FIELDS } from '../../lib/site-texts.ts';

export interface Line {
  /** Counted from 1. */
  number: number;
  bytes: Buffer;
}

export const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Yields the lines of each chunk together: a promise for each line would take longer than splitting it. A line that is too
 * long is cut just above the limit; `lineText` then rejects it.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line[], void> {
  let number = 1;
  let pieces: Buffer[] = [];
  let length = 0;
  const append = (piece: Buffer) => {
    if (length <= maxBytes) pieces.push(piece);
    length += piece.length;
  };
  const finish = (): Line => {
    const line = {
      number: number++,
      bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces),
    };
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      append(chunk.subarray(start, end));
      lines.push(finish());
      start = end + 1;
    }
    append(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [finish()];
}

/** The text of a line, trimmed. This also removes the byte order mark that some editors write first. */
export function lineText(bytes: Buffer, maxBytes = MAX_LINE_BYTES): string {
  if (bytes.length > maxBytes) throw new RecordError(`the line is longer than ${maxBytes} bytes`);
  if (!isUtf8(bytes)) throw new RecordError('the line is not valid UTF-8');
  return bytes.toString().trim();
}

/** Unknown fields are rejected, because a misspelt field would be lost silently. */
const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '^\\S([\\s\\S]*\\S)?$' });
const LongText = Type.String({ maxLength: 10_000 });
const ShortText = Type.String({ maxLength: 255 });
const EditableField = Type.String({ enum: [...EDITABLE_FIELDS, 'file-changed'] });
const optionalFields = {
  id: Type.Optional(Uuid),
  createdAt: Type.Optional(Type.String({ format: 'date-time' })),
};

const entryFields = { ...optionalFields, aliases: Type.Optional(Type.Array(Name, { maxItems: 2000 })) };

/** Longer texts than any licence are refused with its hint. */
export const licenceFields = {
  licence: Type.Optional(Type.String({ maxLength: MAX_LICENCE_LENGTH })),
  credit: Type.Optional(Type.String({ maxLength: MAX_CREDIT_LENGTH })),
};
export const detailFields = {
  title: Type.Optional(Type.String({ maxLength: MAX_TITLE_LENGTH })),
  description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH })),
  takenAt: Type.Optional(Type.String({ pattern: takenAtPattern })),
  ...licenceFields,
  alt: Type.Optional(Type.String({ maxLength: MAX_ALT_LENGTH })),
};

export const CategoryLine = Type.Closed({
  type: Type.Literal('category'),
  ...entryFields,
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\s,]([^,]*[^\\s,])?$' }),
  description: Type.Optional(LongText),
  nsfw: Type.Optional(Type.Boolean()),
});
export const ArtistLine = Type.Closed({
  type: Type.Literal('artist'),
  ...entryFields,
  name: Name,
  url: Type.Optional(WebAddress),
  ...licenceFields,
});
export const CharacterLine = Type.Closed({
  type: Type.Literal('character'),
  ...entryFields,
  name: Name,
  description: Type.Optional(LongText),
  source: Type.Optional(ShortText),
  gender: Type.Optional(ShortText),
  ages: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 100 })),
  birth_date: Type.Optional(ShortText),
  nationality: Type.Optional(ShortText),
  occupations: Type.Optional(Type.Array(ShortText, { maxItems: 100 })),
});
export const AlbumLine = Type.Closed({
  type: Type.Literal('album'),
  ...entryFields,
  name: Name,
  description: Type.Optional(LongText),
  images: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_ALBUM_IMAGES })),
});
export const ImageLine = Type.Closed({
  type: Type.Literal('image'),
  ...optionalFields,
  file: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  meta: Type.Optional(
    Type.Closed({
      eTag: ETag,
      size: Count,
      mimetype: Mimetype,
      color: Colour,
      dimens: Type.Closed(dimens),
    }),
  ),
  thumbnails: Type.Optional(
    Type.Closed({
      sizes: Type.Array(Type.Integer({ minimum: 1, maximum: 999_999 }), { maxItems: 8 }),
      thumbHash: Type.String({ pattern: '^[0-9A-Za-z+/]{4,56}={0,2}$' }),
      isAnimated: Type.Optional(Type.Boolean()),
    }),
  ),
  artist: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
  source: Type.Optional(Type.Union([Type.Closed({ name: ShortText, url: WebAddress }), Type.Null()])),
  nsfw: Rating,
  categories: Type.Optional(Type.Array(Type.String(), { maxItems: 250 })),
  characters: Type.Optional(Type.Array(Type.String(), { maxItems: 250 })),
  ...detailFields,
  fileName: Type.Optional(Type.String({ maxLength: MAX_FILE_NAME_LENGTH, pattern: '^[^/]*$' })),
  edited: Type.Optional(Type.Array(EditableField)),
});

const Time = Type.String({ format: 'date-time' });

/** What an operator removed: names of entries, and below bytes of pictures. */
export const BlockedLine = Type.Closed({
  type: Type.Literal('blocked'),
  kind: Type.OneOf(KINDS),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  skips: Type.Optional(Type.Literal(true)),
  createdAt: Type.Optional(Time),
});
export type BlockedLine = Type.Static<typeof BlockedLine>;

export const RemovedLine = Type.Closed({
  type: Type.Literal('removed'),
  hash: Type.String({ pattern: '^[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,256}$' }),
  image: Type.String({ format: 'uuid' }),
  reason: Type.Optional(Type.String({ maxLength: 1000 })),
  createdAt: Type.Optional(Time),
});
export type RemovedLine = Type.Static<typeof RemovedLine>;

/** A text of the site, as a variable would say it. */
export const SiteLine = Type.Closed({
  type: Type.Literal('site'),
  field: Type.OneOf(SITE_FIELDS),
  text: Type.String({ minLength: 1, maxLength: 30_000 }),
  createdAt: Type.Optional(Time),
});
export type SiteLine = Type.Static<typeof SiteLine>;

export type DecisionLine = BlockedLine | RemovedLine | SiteLine;

// The invalid records of an import.

/** The record is invalid, and the message says why. */
export class RecordError extends Error {}

/** Does the work. A `RecordError` then starts with the subject. */
export function withSubject<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RecordError ? new RecordError(`${subject}: ${error.message}`) : error;
  }
}

/**
 * What stops an import: any problem, only an invalid record of a catalogue file, or nothing. A picture that cannot be read, or
 * whose sidecar is invalid, is left out otherwise.
 */
export type StopsAt = 'any' | 'records' | 'nothing';

export interface ProblemOptions {
  stopsAt: StopsAt;
  isDryRun?: boolean;
  /** Whether all of them are listed, however many they are. */
  listsAll?: boolean;
}

const MAX_PROBLEMS = 100;
/** A reason may quote the record, which may be a megabyte long. */
const MAX_REASON_LENGTH = 1000;

/** Where a record comes from. */
export interface RecordLocation {
  /** The index of its source, in the order of the command line. */
  source: number;
  /** Its position in that source. */
  position: number;
  /** For people: a file and a line number, or the path of a picture. */
  label: string;
}

export interface Problem {
  label: string;
  reason: string;
}

export class Problems {
  readonly #stops: (location: RecordLocation, isPicture: boolean) => boolean;
  readonly #isDryRun: boolean;
  readonly #maxListed: number;
  readonly #found: { location: RecordLocation; reason: string }[] = [];
  #count = 0;
  #stopping = 0;

  /** A dry run shows everything that an import would do without the invalid records. */
  constructor(
    sources: { isFolder: boolean }[],
    { stopsAt, isDryRun = false, listsAll = false }: ProblemOptions,
  ) {
    this.#isDryRun = isDryRun;
    const isRecord = ({ source }: RecordLocation) => sources[source]?.isFolder === false;
    this.#stops = (location, isPicture) =>
      stopsAt === 'any' || (stopsAt === 'records' && !isPicture && isRecord(location));
    this.#maxListed = listsAll ? Number.POSITIVE_INFINITY : MAX_PROBLEMS;
  }

  /** Listed or not. */
  get count(): number {
    return this.#count;
  }

  /** Whether one of them stops the import. */
  get isStopping(): boolean {
    return this.#stopping > 0;
  }

  /** Whether there are enough of those to give up. */
  get isFull(): boolean {
    return !this.#isDryRun && this.#stopping >= MAX_PROBLEMS;
  }

  /** The result of the work, or undefined if the record turned out to be invalid. */
  attempt<T>(location: RecordLocation, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.add(location, error);
    }
  }

  /** Collects a `RecordError` and rethrows any other error. `isPicture` is whether only the file of the record is bad. */
  add(location: RecordLocation, error: unknown, isPicture = false): undefined {
    if (!(error instanceof RecordError)) throw error;
    this.#count++;
    if (this.#stops(location, isPicture)) this.#stopping++;
    if (this.#found.length >= 2 * this.#maxListed) return;
    const { message } = error;
    const isLong = message.length > MAX_REASON_LENGTH;
    this.#found.push({ location, reason: isLong ? `${message.slice(0, MAX_REASON_LENGTH)}…` : message });
  }

  /** The first of them, in the order of the records: a later record may be parsed before an earlier one is planned. */
  list(): Problem[] {
    return this.#found
      .sort((a, b) => a.location.source - b.location.source || a.location.position - b.location.position)
      .slice(0, this.#maxListed)
      .map(({ location, reason }) => ({ label: location.label, reason }));
  }
}
