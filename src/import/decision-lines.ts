/** The records of a catalogue file about what an operator removed: names of entries, and bytes of pictures. */
import * as Type from '../json-schema.ts';

const closed = { additionalProperties: false };
const Time = Type.String({ format: 'date-time' });

export const BlockedLine = Type.Object(
  {
    type: Type.Literal('blocked'),
    kind: Type.Union([Type.Literal('artist'), Type.Literal('category'), Type.Literal('character')]),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    createdAt: Type.Optional(Time),
  },
  closed,
);
export type BlockedLine = Type.Static<typeof BlockedLine>;

export const RemovedLine = Type.Object(
  {
    type: Type.Literal('removed'),
    hash: Type.String({ pattern: '^[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,256}$' }),
    image: Type.String({ format: 'uuid' }),
    reason: Type.Optional(Type.String({ maxLength: 1000 })),
    createdAt: Type.Optional(Time),
  },
  closed,
);
export type RemovedLine = Type.Static<typeof RemovedLine>;

export type DecisionLine = BlockedLine | RemovedLine;
