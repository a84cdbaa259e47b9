/** The query of a call. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/** Starts with a question mark unless it is empty. */
export function formatQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return parameters.size > 0 ? `?${parameters}` : '';
}
