/** The ids of images on the command line, or from standard input. */
import { text } from 'node:stream/consumers';
import { isId } from '../../catalogue/names.ts';
import { UsageError } from '../terminal/errors.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Each id once, in lower case. `-` reads ids, separated by spaces or line feeds, from standard input. */
export async function readIds(parameters: string[], { stdin }: Pick<Terminal, 'stdin'>): Promise<string[]> {
  const ids: string[] = [];
  for (const parameter of parameters)
    if (parameter === '-') for (const id of (await text(stdin)).split(/\s+/).filter(Boolean)) ids.push(id);
    else ids.push(parameter);
  const invalid = ids.find((id) => !isId(id));
  if (invalid !== undefined) throw new UsageError(`${invalid} is not the id of an image`);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}
