/** Parsers that several variables share. They throw the reason why a value is wrong. */
import { BlockList, isIP } from 'node:net';

/** Parses a variable. Unset or empty, it has its default. */
export type Read = <T>(name: string, fallback: T, parse: (text: string) => T) => T;

export function fail(reason: string): never {
  throw new Error(reason);
}

export const parseInteger = (min: number, max: number) => (text: string) => {
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : fail(`must be a whole number from ${min} to ${max}`);
};

export function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The words of a command line. Quotes keep spaces together, as in a shell; nothing else has a meaning. */
export function splitWords(text: string): string[] {
  if (!/^(?:[^\s'"]|'[^']*'|"[^"]*"|\s)*$/.test(text)) fail('a quotation mark is missing');
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

export function parseNetworks(text: string): BlockList {
  const list = new BlockList();
  for (const entry of split(text)) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const maxBits = family === 'ipv6' ? 128 : 32;
    if (!isIP(address) || more.length > 0) fail(`"${entry}" is not an IP address or CIDR block`);
    if (bits === undefined) list.addAddress(address, family);
    else if (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= maxBits)
      list.addSubnet(address, Number(bits), family);
    else fail(`"${entry}" must have a prefix length from 0 to ${maxBits}`);
  }
  return list;
}

/** A rule reads "Subnet: IPv4 10.0.0.0/8". */
export function describeNetworks({ rules }: BlockList): string {
  return rules.map((rule) => rule.split(' ').at(-1)).join(',') || '(none)';
}
