/** The texts of the site: what they may be, and which of them count. Pure. */
import { LICENCE_HINT, MAX_LICENCE_LENGTH, parseLicence } from './licence.ts';

/** Those that the studio can change too, unless a variable says them. */
export const SITE_TEXTS = {
  name: 'SITE_NAME',
  description: 'SITE_DESCRIPTION',
  links: 'SITE_LINKS',
  licence: 'SITE_LICENCE',
} as const;
export type SiteField = keyof typeof SITE_TEXTS;
export const SITE_FIELDS = Object.keys(SITE_TEXTS) as SiteField[];
/** As a variable would say them. */
export type SiteTexts = Partial<Record<SiteField, string>>;

export interface SiteLink {
  name: string;
  url: string;
}

const MAX_NAME_LENGTH = 60;
const MAX_DESCRIPTION_LENGTH = 300;
const MAX_LINKS = 10;
const MAX_URL_LENGTH = 2048;

function fail(reason: string): never {
  throw new Error(reason);
}

const parseLine = (maxLength: number) => (text: string) => {
  const isLine = [...text].length <= maxLength && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
  return isLine ? text : fail(`must be up to ${maxLength} characters on one line`);
};

function parseLinks(text: string): readonly SiteLink[] {
  const parts = text.split(',').map((part) => part.trim());
  const links = parts.filter(Boolean).map((link) => {
    const [, name = '', address = ''] = /^([^=]*[^=\s])\s*=\s*(https?:\/\/\S+)$/i.exec(link) ?? [];
    const url = address.length <= MAX_URL_LENGTH ? URL.parse(address)?.href : undefined;
    return name && url
      ? { name: parseLine(MAX_NAME_LENGTH)(name), url }
      : fail(
          'must be a list such as Imprint=https://example.org/imprint, Privacy=https://example.org/privacy',
        );
  });
  return links.length <= MAX_LINKS ? links : fail(`must be at most ${MAX_LINKS} links`);
}

/** They throw the reason why a text is wrong. */
export const siteParsers = {
  name: parseLine(MAX_NAME_LENGTH),
  description: parseLine(MAX_DESCRIPTION_LENGTH),
  links: parseLinks,
  licence: (text: string) => parseLicence(parseLine(MAX_LICENCE_LENGTH)(text)) ?? fail(LICENCE_HINT),
};

/** The site with the texts of the catalogue, but for those that variables say. `texts` returns the same object until they change. */
export function siteReader<S extends { fixed: readonly SiteField[] }>(
  site: S,
  texts: () => SiteTexts,
): () => S {
  let known: SiteTexts = {};
  let merged = site;
  return () => {
    if (known === texts()) return merged;
    known = texts();
    const fields = (Object.keys(known) as SiteField[]).filter((field) => !site.fixed.includes(field));
    merged = {
      ...site,
      ...Object.fromEntries(fields.map((field) => [field, siteParsers[field](known[field] ?? '')])),
    };
    return merged;
  };
}
