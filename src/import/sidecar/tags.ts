/** Tags in the shapes that tools write: texts, lists, objects by type, and objects with names; with and without a namespace. */
import { cleanName } from '../../catalogue/hidden-characters.ts';
import { categoryNames, validName } from './fields.ts';
import { type Marker, tagMarkers } from './rating.ts';

type Role = 'artist' | 'character' | 'category' | 'title' | 'ignored';

/** The types and namespaces of tags. Tags of any other type are categories. Image boards have numbers for types, too. */
const types: [Role, string][] = [
  ['artist', 'artist creator mangaka 1'],
  ['character', 'character characters oc 4'],
  ['category', 'general species genre theme series copyright parody'],
  [
    'ignored',
    'meta metadata faults invalid deprecated lore contributor studio medium source bookmark rating',
  ],
  ['title', 'title'],
  ['ignored', 'page chapter volume filename'],
];
const roles = new Map(types.flatMap(([role, names]) => names.split(' ').map((name) => [name, role])));

/** A plain list of tags gives no types, so that its artists and characters may be known from elsewhere. */
export class Tags {
  readonly artist = new Set<string>();
  readonly character = new Set<string>();
  readonly category = new Set<string>();
  readonly title = new Set<string>();
  readonly ignored = new Set<string>();
  readonly markers: Marker[] = [];

  add(value: unknown, type = ''): void {
    if (typeof value === 'string') for (const name of splitTags(value)) this.#addName(name, type);
    else if (Array.isArray(value)) for (const item of value) this.#addItem(item, type);
    else if (typeof value === 'object' && value !== null && type === '')
      for (const [key, item] of Object.entries(value)) if (Array.isArray(item)) this.add(item, key);
  }

  #addItem(item: unknown, type: string): void {
    if (typeof item === 'string' || typeof item === 'number') this.#addName(String(item), type);
    if (typeof item !== 'object' || item === null) return;
    const { names, translated_name, name, tag, category, type: number } = item as Record<string, unknown>;
    const candidates = [Array.isArray(names) ? names[0] : undefined, translated_name, name, tag];
    const found = candidates.find((text) => typeof text === 'string' && text.trim() !== '');
    const own = [category, number].find((value) => typeof value === 'string' || typeof value === 'number');
    if (typeof found === 'string') this.#addName(found, String(own ?? type));
  }

  #addName(text: string, type: string): void {
    const tag = cleanName(text);
    const markers = [...tagMarkers(tag)];
    for (const marker of markers) this.markers.push(marker);
    // `rating:explicit` is only a marker.
    if (tag === '' || markers.some(({ field }) => field !== 'tags')) return;
    const [, namespace = '', rest = ''] = /^([a-z]+):\s*(\S.*)$/is.exec(tag) ?? [];
    const role = roles.get(namespace.toLowerCase());
    if (role) this.#addTo(role, rest);
    else this.#addTo(roles.get(type.toLowerCase()) ?? 'category', tag);
  }

  /** Names that no entry can have are left out. */
  #addTo(role: Role, text: string): void {
    if (this[role].has(text)) return;
    const [name] = role === 'category' ? categoryNames([text]) : [text];
    const valid = role === 'ignored' || role === 'title' ? name : validName(role, name);
    if (valid !== undefined) this[role].add(valid);
  }
}

/** Without commas, spaces separate tags. */
function splitTags(text: string): string[] {
  return text.split(text.includes(',') ? ',' : /\s+/);
}
