/** The query of a call. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/**
 * Starts with a question mark unless it is empty. Not made by `URLSearchParams`: some runtimes have another one, and a query
 * without its filters would let everything through.
 */
export function formatQuery(query: Query): string {
  const parameters = Object.entries(query)
    // The service refuses an empty `exclude`, because a name may be missing. An empty list has none.
    .filter(([name, value]) => value !== undefined && !(name === 'exclude' && Object(value).length === 0))
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return parameters.length > 0 ? `?${parameters.join('&')}` : '';
}
