/** What the page may ask for. Everything else is refused before it reaches the catalogue. */
import { Compile, type Validator } from 'typebox/schema';
import { EDITABLE_FIELDS } from '../catalogue/documents/edit-image.ts';
import { Rating, uuidPattern } from '../catalogue/schemas.ts';
import * as Type from '../lib/json-schema.ts';
import { StudioError } from './server.ts';

const MAX_IMAGES = 200_000;
const MAX_NAMES = 100;
const MAX_TEXT = 10_000;

const Id = Type.String({ pattern: uuidPattern });
const Text = Type.String({ maxLength: MAX_TEXT });
const Texts = Type.Array(Text, { maxItems: MAX_NAMES });
const Kind = Type.Union([Type.Literal('artist'), Type.Literal('category'), Type.Literal('character')]);
const closed = { additionalProperties: false };

const Selection = Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: MAX_IMAGES }) }, closed);
const Tiles = Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: 500 }) }, closed);
const EditImages = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: MAX_IMAGES }),
    version: Text,
    edit: Type.Object(
      {
        rating: Type.Optional(Rating),
        artist: Type.Optional(Text),
        sourceName: Type.Optional(Text),
        sourceUrl: Type.Optional(Text),
        title: Type.Optional(Text),
        description: Type.Optional(Text),
        takenAt: Type.Optional(Text),
        addCategories: Type.Optional(Texts),
        removeCategories: Type.Optional(Texts),
        addCharacters: Type.Optional(Texts),
        removeCharacters: Type.Optional(Texts),
        reset: Type.Optional(
          Type.Array(Type.Union(EDITABLE_FIELDS.map((field) => Type.Literal(field))), {
            maxItems: EDITABLE_FIELDS.length,
          }),
        ),
        create: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
  },
  closed,
);
const Undo = Type.Object({ change: Type.Integer(), isPreview: Type.Boolean() }, closed);
const EditEntry = Type.Object(
  {
    kind: Kind,
    id: Id,
    version: Text,
    /** Those of a catalogue record; they are validated like one. */
    fields: Type.Object(
      {
        name: Type.Optional(Text),
        url: Type.Optional(Text),
        description: Type.Optional(Text),
        nsfw: Type.Optional(Type.Boolean()),
        source: Type.Optional(Text),
        gender: Type.Optional(Text),
        ages: Type.Optional(Type.Array(Type.Integer(), { maxItems: MAX_NAMES })),
        birth_date: Type.Optional(Text),
        nationality: Type.Optional(Text),
        occupations: Type.Optional(Texts),
      },
      closed,
    ),
    addAliases: Texts,
    removeAliases: Texts,
  },
  closed,
);
const CreateEntry = Type.Object({ kind: Kind, name: Text }, closed);
const MergeEntries = Type.Object({ kind: Kind, from: Id, into: Id, version: Text }, closed);
const RemoveEntry = Type.Object({ kind: Kind, id: Id, version: Text, block: Type.Boolean() }, closed);
const RemoveImages = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: MAX_IMAGES }),
    version: Text,
    reason: Text,
    isTakeDown: Type.Boolean(),
  },
  closed,
);

const schemas = {
  selection: Selection,
  tiles: Tiles,
  editImages: EditImages,
  undo: Undo,
  editEntry: EditEntry,
  createEntry: CreateEntry,
  mergeEntries: MergeEntries,
  removeEntry: RemoveEntry,
  removeImages: RemoveImages,
};
type Schemas = typeof schemas;
export type Request<Name extends keyof Schemas> = Type.Static<Schemas[Name]>;

const validators = new Map<string, Validator>();

export function readRequest<Name extends keyof Schemas>(name: Name, body: unknown): Request<Name> {
  const validator = validators.get(name) ?? Compile(schemas[name] as Type.TSchema);
  validators.set(name, validator);
  if (!validator.Check(body)) throw new StudioError(400, 'the request is not valid: reload the page');
  return body as Request<Name>;
}
