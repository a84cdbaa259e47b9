/** Checks where the API is: a mistake here would only show as a 404 or as a failed connection. */

/** The address that the paths of endpoints are appended to. An empty origin means that of the page. */
export function baseAddress(origin: string, prefix: string): string {
  if (!/^(\/[^\s?#]*)?$/.test(prefix))
    throw new TypeError(`Invalid prefix "${prefix}": it must be a path, such as "/api".`);
  return checkOrigin(origin, prefix) + prefix.replace(/\/+$/, '');
}

function checkOrigin(text: string, prefix: string): string {
  if (text === '') return '';
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`Invalid origin "${text}": it must be an address such as "https://example.org".`);
  if (url.href === `${url.origin}/`) return url.origin;
  const path = url.pathname.replace(/\/+$/, '');
  const likely = path.endsWith(prefix) || /\/v\d+$/.test(path) ? path : path + prefix;
  throw new TypeError(
    `Invalid origin "${text}": it must have no path, query or credentials. If the API is below a path, pass ` +
      `{ origin: "${url.origin}", prefix: "${likely}" }.`,
  );
}

/** `URL.parse` and `URL.canParse` are missing in browsers of 2023. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
