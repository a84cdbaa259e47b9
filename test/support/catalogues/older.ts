/** Catalogues as older versions left them. */
import type { Config } from '../../../src/config/config.ts';
import { schema } from '../../../src/store/drivers/postgres/schema.ts';
import { catalogueSchema } from '../../../src/store/drivers/sqlite/schema.ts';
import { tamper } from '../servers/engines.ts';

/** SQL that makes a step and those after it run again. */
export function forgetSteps({ database }: Config, from: (typeof schema.steps)[number]): string {
  const index = schema.steps.indexOf(from);
  return database.engine === 'sqlite'
    ? `pragma user_version = ${catalogueSchema.base + index};`
    : `delete from migration where step >= ${schema.base + index};`;
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
