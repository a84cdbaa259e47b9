/**
 * Pagination cursors (`X-Next-Cursor`): a number that says where the next page starts, signed together with its scope (the
 * order and the filters). The server stores nothing, and a forged cursor or one from another scope is recognised.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Filter } from '../catalogue/catalogue.ts';
import { fold } from '../catalogue/search/fold.ts';

/** Together a multiple of three, so that base64url needs no padding. */
const POSITION_BYTES = 5;
const SIGNATURE_BYTES = 16;
const cursorPattern = /^[0-9A-Za-z_-]{28}$/;

export class Cursors {
  readonly #keys: readonly string[];

  /** The first key signs, all verify. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  write(number: number, scope: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeUIntBE(number, 0, POSITION_BYTES);
    return Buffer.concat([position, sign(this.#keys[0] as string, position, scope)]).toString('base64url');
  }

  /** Returns undefined if the cursor was not issued by this service for this scope. */
  read(cursor: string, scope: string): number | undefined {
    if (!cursorPattern.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    const [position, signature] = [bytes.subarray(0, POSITION_BYTES), bytes.subarray(POSITION_BYTES)];
    const isValid = this.#keys.some((key) => timingSafeEqual(signature, sign(key, position, scope)));
    return isValid ? position.readUIntBE(0, POSITION_BYTES) : undefined;
  }
}

function sign(key: string, position: Uint8Array, scope: string): Buffer {
  return createHmac('sha256', key)
    .update('zukan cursor ')
    .update(position)
    .update(scope)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}

/**
 * The scope of a cursor, as text. The order is that of a seed, or newest first without one. The order, case and repeats of
 * names in a list do not matter, and neither does an empty list. Fields that are not given are left out, so a new filter does
 * not invalidate older cursors.
 */
export function cursorScope(seed: string | undefined, filter: Filter): string {
  const fields = Object.entries(filter).map(
    ([field, value]) => [field, Array.isArray(value) ? canonicalValue(field, value) : value] as const,
  );
  const { categories = [] }: { categories?: readonly string[] } = Object.fromEntries(fields);
  // With fewer than two categories, "any" and "all" mean the same, and "all" is the default.
  const isMatchAny = filter.match === 'any' && categories.length > 1;
  const conditions = fields
    .filter(([field, value]) => (field === 'match' ? isMatchAny : isGiven(value)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([seed ?? null, conditions]);
}

/** Older versions took one artist and one character. */
function canonicalValue(field: string, value: readonly string[]): string | string[] {
  const [first, ...others] = canonicalList(value);
  const wasSingle = field === 'artist' || field === 'character';
  return wasSingle && first !== undefined && others.length === 0 ? first : canonicalList(value);
}

function canonicalList(names: readonly string[]): string[] {
  return [...new Set(names.map(fold))].sort();
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
