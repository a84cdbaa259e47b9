/** Times as tools write them. */

/** ISO 8601 with a space or a `T`, UTC unless it has a time zone, or seconds since 1970. */
export function parseTime(value: unknown): string | undefined {
  // The text of a list could be endless.
  if (typeof value === 'object') return undefined;
  const text = String(value).trim();
  const isSeconds = /^\d{1,11}(\.\d+)?$/.test(text);
  const [, date = '', time = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
  const offset = zone.replace(/(\d\d)(\d\d)$/, '$1:$2');
  const parsed = new Date(isSeconds ? Number(text) * 1000 : `${date}${time.replace(' ', 'T')}${offset}`);
  const iso = Number.isNaN(parsed.getTime()) ? '' : parsed.toISOString();
  return /^\d{4}-/.test(iso) ? iso : undefined;
}
