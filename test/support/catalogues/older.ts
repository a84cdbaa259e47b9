/** Catalogues as older versions left them. */
import { fileTypes } from '../../../src/catalogue/schemas.ts';
import type { Config } from '../../../src/config/config.ts';
import { schema } from '../../../src/store/drivers/postgres/schema.ts';
import { catalogueSchema } from '../../../src/store/drivers/sqlite/schema.ts';
import { tamper } from '../servers/engines.ts';

/** SQL that makes a step and those after it run again. */
export function forgetSteps({ database }: Config, from: (typeof schema.steps)[number]): string {
  const index = schema.steps.indexOf(from);
  return database.engine === 'sqlite'
    ? `${withoutNewest('sqlite')} pragma user_version = ${catalogueSchema.base + index};`
    : `${withoutNewest('postgres')} delete from migration where step >= ${schema.base + index};`;
}

/** The last steps cannot run twice. */
function withoutNewest(engine: 'sqlite' | 'postgres'): string {
  const others = fileTypes.map((type) => {
    const shelf = `(select number from shelf where kind = 'type' and id = '${type}')`;
    const rest =
      engine === 'sqlite'
        ? `replace(shelves, ',' || ${shelf} || ',', ',')`
        : `array_remove(shelves, ${shelf})`;
    return `update image_shelves set shelves = ${rest};`;
  });
  return `${others.join('')} delete from shelf where kind = 'type';
    drop table shelf_block; drop table size_block; create table placement (image int);
    drop table text_block; create table title_word (image int);
    drop table site_text; drop index trash_number; drop index trash_removed_at;`;
}

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
