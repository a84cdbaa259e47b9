/** What the lines of the change log and of the trash may contain, in a catalogue file and in a backup. */
import type { TSchema } from '../../lib/json-schema.ts';
import * as Type from '../../lib/json-schema.ts';

const closed = { additionalProperties: false };
const Text = Type.String({ maxLength: 10_000 });
/** As it is compared: in UTC with milliseconds. */
const Time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' });
const MAX_NUMBER = 2 ** 31 - 1;
const Count = Type.Integer({ minimum: 0, maximum: MAX_NUMBER });
const Position = Type.Integer({ minimum: 1, maximum: MAX_NUMBER });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Comes first in a catalogue file: the numbers in the log are right if exactly so many images are imported. */
export const HistoryHeader = Type.Object(
  { type: Type.Literal('history'), images: Count, trash: Count },
  closed,
);
export type HistoryHeader = Type.Static<typeof HistoryHeader>;

export const ChangeLine = Type.Object(
  {
    type: Type.Literal('change'),
    number: Position,
    at: Time,
    origin: Type.Union([Type.Literal('import'), Type.Literal('shell'), Type.Literal('studio')]),
    user: Text,
    summary: Text,
    source: orNull(Text),
    added: Count,
    changed: Count,
    removed: Count,
    entries: Count,
    firstImage: Position,
    lastImage: Count,
    items: Count,
    undoes: orNull(Position),
    state: Type.Union([
      Type.Literal('done'),
      Type.Literal('undone'),
      Type.Literal('forgotten'),
      Type.Literal('final'),
    ]),
  },
  closed,
);
export type ChangeLine = Type.Static<typeof ChangeLine>;

/** Its kind says what else `before` and `after` may contain (plan/history.ts). */
const Fields = Type.Object({});

export const ItemLine = Type.Object(
  {
    type: Type.Literal('change-item'),
    change: Position,
    kind: Type.Union([
      ...[
        Type.Literal('image'),
        Type.Literal('artist'),
        Type.Literal('category'),
        Type.Literal('character'),
        Type.Literal('album'),
      ],
      ...[Type.Literal('blocked'), Type.Literal('removed'), Type.Literal('taken-down')],
    ]),
    id: Type.String({ minLength: 1, maxLength: 10_000 }),
    before: orNull(Fields),
    after: orNull(Fields),
    undoneBy: orNull(Position),
  },
  closed,
);
export type ItemLine = Type.Static<typeof ItemLine>;

export const TrashLine = Type.Object(
  {
    type: Type.Literal('trash'),
    change: Position,
    kind: Type.Union([Type.Literal('image'), Type.Literal('file')]),
    removedAt: Time,
    number: Count,
    /** The line of an image, which is checked as such. */
    image: Type.Object({}),
  },
  closed,
);
export type TrashLine = Type.Static<typeof TrashLine>;

export type HistoryLine = HistoryHeader | ChangeLine | ItemLine | TrashLine;
