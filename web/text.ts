/** Counts, sizes and durations. */

const numbers = new Intl.NumberFormat('en');

export type EntryKind = 'artists' | 'characters' | 'categories' | 'albums';

export function formatCount(count: number, kind: EntryKind | 'images'): string {
  const singular = kind === 'categories' ? 'category' : kind.slice(0, -1);
  return `${numbers.format(count)} ${count === 1 ? singular : kind}`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1e6 ? [bytes / 1000, 'KB'] : [bytes / 1e6, 'MB'];
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`;
}

export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [days, hours, minutes] = [whole / 86_400, (whole / 3600) % 24, (whole / 60) % 60].map(Math.floor);
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
