/** What iterators over several pages need. */
import type * as types from './types.ts';

export async function* followCursor(
  getPage: (cursor: string | undefined) => Promise<types.CursorPage>,
): AsyncGenerator<types.Image, void> {
  let cursor: string | undefined;
  do {
    const page = await getPage(cursor);
    yield* page.data;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Not `randomUUID`, which browsers offer on secure origins only. */
export function generateSeed(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
