/**
 * A licence as one text: a name, an address, or both as `name=address`. What is well known is stored by its name. Responses have
 * `{name, url}`.
 */

export interface Licence {
  /** Empty if unknown, as the address. */
  name: string;
  url: string;
}

const MAX_NAME_LENGTH = 255;
const MAX_ADDRESS_LENGTH = 2048;
export const MAX_LICENCE_LENGTH = MAX_NAME_LENGTH + '='.length + MAX_ADDRESS_LENGTH;
export const LICENCE_HINT =
  `must be a name of at most ${MAX_NAME_LENGTH} characters such as CC BY 4.0, an http or https address, or ` +
  'both as name=address';

type Known = [name: string, address: string];
const SITE = 'https://creativecommons.org';
const known: Known[] = [
  ['CC0 1.0', `${SITE}/publicdomain/zero/1.0/`],
  ['Public Domain Mark 1.0', `${SITE}/publicdomain/mark/1.0/`],
  ...['4.0', '3.0', '2.5', '2.0'].flatMap((version) =>
    ['BY', 'BY-SA', 'BY-ND', 'BY-NC', 'BY-NC-SA', 'BY-NC-ND'].map(
      (terms): Known => [`CC ${terms} ${version}`, `${SITE}/licenses/${terms.toLowerCase()}/${version}/`],
    ),
  ),
];
/** SPDX writes `CC-BY-4.0`. */
const nameKey = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, ' ');
const byName = new Map(known.map((licence) => [nameKey(licence[0]), licence]));
byName.set('cc0', known[0] as Known);
/** Without what says which page about the licence it is, and in which language. */
const addressKey = (url: string) =>
  url
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, 'https://')
    .replace(/\/(?:deed|legalcode)?(?:\.[a-z_-]+)?$/, '');
const byAddress = new Map(known.map((licence) => [addressKey(licence[1]), licence]));

/** A licence that may have been given as `{name, url}`, as one text. Undefined if it is neither. */
export function licenceText(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const { name = '', url = '' } = (given ?? {}) as { name?: unknown; url?: unknown };
  if (typeof name !== 'string' || typeof url !== 'string' || Array.isArray(given)) return undefined;
  return typeof given === 'object' && given ? [name, url].filter(Boolean).join('=') : undefined;
}

/** What a text says, completed with the name or the address of a known licence. */
export function readLicence(text: string): Licence {
  const at = text.search(/https?:\/\/\S+$/i);
  const url = at === -1 ? '' : text.slice(at);
  const name = (at === -1 ? text : text.slice(0, at).replace(/=$/, '')).trim();
  const found = url === '' ? byName.get(nameKey(name)) : byAddress.get(addressKey(url));
  if (!found || (name !== '' && byName.get(nameKey(name)) !== found)) return { name, url };
  return { name: found[0], url: found[1] };
}

/** As it is stored; undefined if it is no licence. */
export function parseLicence(text: string): string | undefined {
  if (text.length > MAX_LICENCE_LENGTH) return undefined;
  const { name, url } = readLicence(text.trim());
  if (name.length > MAX_NAME_LENGTH || url.length > MAX_ADDRESS_LENGTH) return undefined;
  // An address of another kind is no name.
  if (/:\/\/|(?:^|=)\s*(?:javascript|vbscript|data|blob|file|mailto):/i.test(name)) return undefined;
  if (url !== '' && !URL.canParse(url)) return undefined;
  const isKnown = readLicence(name).url === url;
  return isKnown || url === '' ? name : licenceText({ name, url });
}
