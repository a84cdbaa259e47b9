/** Parsers that several variables share. They throw the reason why a value is wrong. */

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
