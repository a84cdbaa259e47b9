/** Numbers and sizes as texts, and lists in texts. */

const numbers = new Intl.NumberFormat('en');

export const formatNumber = (value: number): string => numbers.format(value);

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function countPictures(count: number): string {
  return count === 1 ? '1 picture' : `${formatNumber(count)} pictures`;
}

export function formatSize(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${formatNumber(Math.round(bytes / 1000))} KB`;
}

/** The names of a list that is separated by commas or lines. */
export function splitNames(text: string): string[] {
  return [...new Set(text.split(/[,;\n\r\t]+/).map((name) => name.trim()))].filter(Boolean);
}
