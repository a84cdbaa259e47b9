/** The variables that make the gallery one's own, and where to report its images. */
import { resolve } from 'node:path';
import { SITE_TEXTS, type SiteField, siteParsers } from '../lib/site-texts.ts';
import { fail, type Read, split } from './values.ts';

export const ratings = ['sfw', 'questionable', 'nsfw'] as const;

export interface SiteConfig {
  /** Those that variables say. */
  readonly fixed: readonly SiteField[];
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

const MAX_URL_LENGTH = 2048;
const ID = '{id}';
/** Stands for the id while the URL is parsed, which would escape the braces. */
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

export function readSite(read: Read): SiteConfig {
  return {
    fixed: (Object.keys(SITE_TEXTS) as SiteField[]).filter((field) =>
      read(SITE_TEXTS[field], false, () => true),
    ),
    name: read('SITE_NAME', 'zukan', siteParsers.name),
    logo: read<string | undefined>('SITE_LOGO', undefined, (text) => resolve(text)),
    accent: read<string | undefined>('SITE_ACCENT', undefined, parseColour),
    ratings: read<SiteConfig['ratings']>('SITE_RATINGS', ratings, parseRatings),
    reportUrl: read<string | undefined>('REPORT_URL', undefined, parseReportUrl),
    description: read('SITE_DESCRIPTION', '', siteParsers.description),
    links: read<SiteConfig['links']>('SITE_LINKS', [], siteParsers.links),
    licence: read('SITE_LICENCE', '', siteParsers.licence),
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
