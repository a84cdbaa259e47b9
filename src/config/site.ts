/** The variables that make the gallery one's own, and where to report its images. */
import { resolve } from 'node:path';
import { LICENCE_HINT, MAX_LICENCE_LENGTH, parseLicence } from '../lib/licence.ts';
import { fail, type Read, split } from './values.ts';

export const ratings = ['sfw', 'questionable', 'nsfw'] as const;

export interface SiteConfig {
  readonly name: string;
  /** The path of a picture; undefined: none. */
  readonly logo: string | undefined;
  /** `#rrggbb`; undefined: that of the stylesheet. */
  readonly accent: string | undefined;
  /** The ratings that the gallery shows until the visitor chooses others. */
  readonly ratings: readonly (typeof ratings)[number][];
  /** Where to report an image, with `{id}` in place of its id; undefined: nowhere. ASCII only. */
  readonly reportUrl: string | undefined;
  /** A sentence; empty if there is none. */
  readonly description: string;
  /** Such as to the imprint. */
  readonly links: readonly { name: string; url: string }[];
  /** Of what states none itself, as one text (lib/licence.ts); empty if there is none. */
  readonly licence: string;
  /** Whether crawlers are asked to train no models with it. */
  readonly refusesTraining: boolean;
}

const MAX_NAME_LENGTH = 60;
const MAX_DESCRIPTION_LENGTH = 300;
const MAX_LINKS = 10;
const MAX_URL_LENGTH = 2048;
const ID = '{id}';
/** Stands for the id while the URL is parsed, which would escape the braces. */
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

export function readSite(read: Read): SiteConfig {
  return {
    name: read('SITE_NAME', 'zukan', parseLine(MAX_NAME_LENGTH)),
    logo: read<string | undefined>('SITE_LOGO', undefined, (text) => resolve(text)),
    accent: read<string | undefined>('SITE_ACCENT', undefined, parseColour),
    ratings: read<SiteConfig['ratings']>('SITE_RATINGS', ratings, parseRatings),
    reportUrl: read<string | undefined>('REPORT_URL', undefined, parseReportUrl),
    description: read('SITE_DESCRIPTION', '', parseLine(MAX_DESCRIPTION_LENGTH)),
    links: read<SiteConfig['links']>('SITE_LINKS', [], parseLinks),
    licence: read('SITE_LICENCE', '', parseSiteLicence),
    refusesTraining: read('AI_TRAINING', false, (text) =>
      text === 'no' ? true : fail('must be no; leave it out to state nothing'),
    ),
  };
}

export function describeSite(site: SiteConfig): Record<string, string> {
  const { name, logo, accent, ratings, reportUrl, description, links, licence, refusesTraining } = site;
  return {
    SITE_NAME: name,
    SITE_LOGO: logo ?? '(none)',
    SITE_ACCENT: accent ?? '(vermilion)',
    SITE_RATINGS: ratings.join(','),
    REPORT_URL: reportUrl ?? '(none)',
    SITE_DESCRIPTION: description || '(none)',
    SITE_LINKS: links.map(({ name, url }) => `${name}=${url}`).join(', ') || '(none)',
    SITE_LICENCE: licence || '(none)',
    AI_TRAINING: refusesTraining ? 'no' : '(nothing stated)',
  };
}

const parseLine = (maxLength: number) => (text: string) => {
  const isLine = [...text].length <= maxLength && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
  return isLine ? text : fail(`must be up to ${maxLength} characters on one line`);
};

function parseLinks(text: string): SiteConfig['links'] {
  const links = split(text).map((link) => {
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

function parseSiteLicence(text: string): string {
  return parseLicence(parseLine(MAX_LICENCE_LENGTH)(text)) ?? fail(LICENCE_HINT);
}

function parseColour(text: string): string {
  const [, digits = ''] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text) ?? [];
  if (digits === '') fail('must be a colour such as #2f6f8f');
  return `#${(digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits).toLowerCase()}`;
}

/** In the usual order. */
export function parseRatings(text: string): SiteConfig['ratings'] {
  const names = split(text);
  const isValid = names.length > 0 && names.every((name) => ratings.some((rating) => rating === name));
  return isValid
    ? ratings.filter((rating) => names.includes(rating))
    : fail(`must be a list of ${ratings.join(', ')}`);
}

function parseReportUrl(text: string): string {
  const url = URL.parse(text.replaceAll(ID, SAMPLE_ID));
  const isValid =
    text.includes(ID) && text.length <= MAX_URL_LENGTH && /^(https?|mailto):$/.test(url?.protocol ?? '');
  return url && isValid
    ? url.href.replaceAll(SAMPLE_ID, ID)
    : fail(`must be a URL with ${ID} in it, such as https://example.org/report?image=${ID} or mailto:…`);
}
