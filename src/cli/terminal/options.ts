/** Values of options. */
import { Option } from 'commander';
import type { Rating } from '../../catalogue/types.ts';
import { UsageError } from './errors.ts';

const ratings: Rating[] = ['sfw', 'questionable', 'nsfw'];

/** An option that can be repeated, and takes one value each time. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, previous: string[] = []) => [...previous, value];
  return new Option(flags, `${description}; can be repeated`).argParser(collect);
}

/** The end of the help of a command. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`.trimEnd();
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port ${text}: must be a number from 0 to 65535`);
  return Number(text);
}

export const ratingOption = (description: string): Option =>
  new Option('--rating <rating>', description).choices(ratings);

export function parseTime(text: string): string {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text).getTime() : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--since ${text}: must be a date, such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  return new Date(time).toISOString();
}

export function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--limit ${text}: must be a whole number above 0`);
  return Number(text);
}

export function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`--keep ${text}: must be a whole number from 1 to 9999`);
  return Number(text);
}
