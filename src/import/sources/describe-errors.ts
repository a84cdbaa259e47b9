/** Says what is wrong with a record. */

import { MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH } from '../../catalogue/documents/details.ts';
import { EDITABLE_FIELDS } from '../../catalogue/documents/edit-image.ts';
import type { Validator } from '../../lib/validator.ts';

/** What a valid value of each field looks like. */
const hints: Record<string, string> = {
  id: 'must be a UUID',
  createdAt: 'must look like 2026-01-31T12:00:00Z',
  name: 'must be a text of 1 to 255 characters without leading or trailing spaces, and without commas in a category',
  url: 'must start with http:// or https://',
  'source.url': 'must start with http:// or https://',
  source: 'must be {"name":…,"url":…} for an image, or a text of at most 255 characters for a character',
  nsfw: 'must be "sfw", "questionable" or "nsfw" for an image, or true or false for a category',
  rating: 'must be "sfw", "questionable" or "nsfw"',
  categories: 'must be a list of names',
  artist: 'must be a name',
  ages: 'must be a list of whole numbers',
  aliases: 'must be a list of names',
  title: `must be a text of at most ${MAX_TITLE_LENGTH} characters`,
  description: `must be a text of at most ${MAX_DESCRIPTION_LENGTH} characters`,
  takenAt: 'must look like 2026-01-31 or 2026-01-31T12:00:00+01:00, or be empty',
  fileName: 'must be the name of a file without its folder',
  edited: `must be a list of ${EDITABLE_FIELDS.join(', ')}`,
  thumbnails: 'must be {"sizes":[480,…],"thumbHash":…,"isAnimated":…}, as in an export',
  kind: 'must be "artist", "category" or "character"',
  image: 'must be a UUID',
  'meta.eTag': 'must be an entity tag without quotes or commas',
  'meta.mimetype': 'must be image/jpeg, image/png, image/webp, image/gif or image/avif',
  'meta.color': 'must look like #a0b0c0',
};

export function describeErrors(validator: Validator, value: unknown): string {
  const [, errors] = validator.Errors(value);
  const problems = errors.flatMap(({ keyword, instancePath, params, message }) => {
    const { requiredProperties, additionalProperties } = params as Record<string, string[] | undefined>;
    if (keyword === 'required') return (requiredProperties ?? []).map((name) => `"${name}" is missing`);
    if (keyword === 'additionalProperties')
      return (additionalProperties ?? []).map((name) => `unknown field "${name}"`);
    // Already reported as an additional property.
    if (keyword === 'boolean') return [];
    const field = instancePath.slice(1).replaceAll('/', '.');
    const [whole = ''] = field.split('.');
    return [`${field}: ${hints[field] ?? hints[whole] ?? message}`];
  });
  // What is wrong with a part says more than what is wrong with the whole.
  const hasPart = (problem: string) =>
    problems.some((other) => other.startsWith(`${problem.split(':')[0]}.`));
  return [...new Set(problems)]
    .filter((problem) => !hasPart(problem))
    .slice(0, 5)
    .join('; ');
}
