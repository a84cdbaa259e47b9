/** Finds the texts that older versions accepted, with characters that nobody sees. Only an operator knows what they should be. */
import { cleanName, findFlaws } from '../hidden-characters.ts';
import { isId } from '../names.ts';
import type { Kind } from '../types.ts';
import type { CatalogueSnapshot, SavedImage } from '../writer.ts';
import type { Finding } from './check-log.ts';
import type { StoredImage } from './document.ts';

const kinds: Kind[] = ['artist', 'category', 'character', 'album'];
/** The options of `zukan entry` and `zukan edit` that are not called like their field. Any name given also mends the aliases. */
const options: Record<string, string> = {
  aliases: 'name',
  occupations: 'occupation',
  birth_date: 'birth-date',
  'source.name': 'source-name',
  'source.url': 'source-url',
};

export async function* checkEntryTexts(snapshot: CatalogueSnapshot): AsyncGenerator<Finding, void> {
  for (const kind of kinds)
    for await (const { id, document, aliases } of snapshot.entries(kind)) {
      const fields = { ...JSON.parse(document), aliases: aliases.filter((alias) => !isId(alias)) };
      yield* describeFlaws(`${kind} ${id}`, `zukan entry ${kind} ${id}`, fields);
    }
  for await (const { kind, name } of snapshot.blockedNames())
    for (const { flaw } of findFlaws({ name }))
      yield {
        problem: `the blocked ${kind} "${name}": ${flaw}: imports of folders do, so block "${cleanName(name)}" too`,
        canBeRepaired: false,
      };
}

/** Most documents are plain ASCII without escapes, and need not be read. */
export const mayHaveFlaw = ({ document }: SavedImage): boolean => /[^ -[\]-~]/.test(document);

/** Without those of its entries. */
export function checkImageTexts(id: string, image: StoredImage | undefined): Finding[] {
  if (!image) return [];
  const { title, description, source } = image;
  return describeFlaws(`image ${id}`, `zukan edit ${id}`, { title, description, source });
}

function describeFlaws(subject: string, command: string, fields: object): Finding[] {
  return [...findFlaws(fields)].map(({ field, flaw }) => {
    const name = field.replace(/\.\d+$/, '');
    return {
      problem: `${subject}: ${field}: ${flaw}: ${command} --${options[name] ?? name} '…'`,
      canBeRepaired: false,
    };
  });
}
