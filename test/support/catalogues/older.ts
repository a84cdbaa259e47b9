import type { Config } from '../../../src/config/config.ts';
import { tamper } from '../servers/engines.ts';

/** SQL that takes back what a migration step did, so that a test can let it run again. */
export const WITHOUT_TITLE_WORDS = 'drop table title_word;';
export const WITHOUT_LATER_TABLES = 'drop table album_image; drop table clock;';
/** Of a catalogue without animations. */
export const WITHOUT_SIZES = `
  alter table image_shelves drop column width;
  alter table image_shelves drop column height;
  delete from shelf where kind = 'animation';`;

/** Puts a text where the stand-in is, as a version that accepted it would have stored it. Both are without quotation marks. */
export function storeOldText(config: Config, standIn: string, text: string): void {
  const raw = (column: string) => `${column} = replace(${column}, '${standIn}', '${text}')`;
  const json = `document = replace(document, '${standIn}', '${JSON.stringify(text).slice(1, -1)}')`;
  const names = ['alias', 'blocked_name'].map(
    (table) => `update ${table} set ${raw('name')}, ${raw('key')};`,
  );
  tamper(
    config,
    `update image set ${json}; update shelf set ${json}, ${raw('name')}, ${raw('category')}; ${names.join(' ')}`,
  );
}
