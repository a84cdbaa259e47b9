/** The lines of sources.ndjson: the files that images came from, and what was chosen for their folders. */
import { normaliseTexts } from '../catalogue/names.ts';
import { type ChosenFolder, SOURCE_STATES, type SourceFile } from '../catalogue/records.ts';
import { Rating, uuidPattern } from '../catalogue/schemas.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import { parseJson } from '../import/records/record.ts';
import { checkRules, parseRule } from '../import/sources/ignore.ts';
import * as Schema from '../lib/json-schema.ts';
import { compile } from '../lib/validator.ts';
import { check } from './format.ts';

const closed = { additionalProperties: false };
const Text = Schema.String({ maxLength: 10_000 });

const File = compile(
  Schema.Object(
    {
      folder: Text,
      path: Text,
      image: Schema.String({ pattern: uuidPattern }),
      state: Schema.Union(SOURCE_STATES.map((state) => Schema.Literal(state))),
      fingerprint: Schema.String({ pattern: '^([0-9a-f]{64})?$' }),
    },
    closed,
  ),
);

const which = ['all', 'last', 'none'] as const;
const Folder = compile(
  Schema.Object(
    {
      folder: Text,
      choice: Schema.Object(
        {
          folderCategories: Schema.Optional(
            Schema.Union([
              ...which.map((name) => Schema.Literal(name)),
              Schema.Integer({ minimum: 1, maximum: 99 }),
            ]),
          ),
          exclude: Schema.Optional(Schema.Array(Schema.String())),
          defaultRating: Schema.Optional(Rating),
          albumsFrom: Schema.Optional(Schema.Union([Schema.Literal('folders'), Schema.Literal('none')])),
        },
        closed,
      ),
    },
    closed,
  ),
);

export async function* sourceLines(
  snapshot: CatalogueSnapshot,
  counts: { sources: number },
): AsyncGenerator<string, void> {
  for await (const { folder, choice } of snapshot.chosenFolders()) {
    counts.sources++;
    yield JSON.stringify({ folder, choice });
  }
  for await (const { folder, path, image, state, fingerprint } of snapshot.sourceFiles()) {
    counts.sources++;
    yield JSON.stringify({ folder, path, image, state, fingerprint });
  }
}

/** Older versions stored paths in the form that the disk gave. */
export function parseSource(text: string): SourceFile | ChosenFolder {
  const value = normaliseTexts(parseJson(text)) as object | null;
  if (!value || !('choice' in value)) return check<SourceFile>(File, value, 'the source file');
  const chosen = check<ChosenFolder>(Folder, value, 'the source folder');
  checkRules((chosen.choice.exclude ?? []).map((glob) => parseRule(glob)));
  return chosen;
}
