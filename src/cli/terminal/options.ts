/** Values of options. */
import { Option } from 'commander';
import type { Rating } from '../../catalogue/types.ts';

const ratings: Rating[] = ['sfw', 'questionable', 'nsfw'];

/** An option that can be repeated, and takes one value each time. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, previous: string[] = []) => [...previous, value];
  return new Option(flags, `${description}; can be repeated`).argParser(collect);
}

export const ratingOption = (description: string): Option =>
  new Option('--rating <rating>', description).choices(ratings);
