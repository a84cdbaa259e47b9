/** Who made a picture and where it was published, in the JSON that gallery-dl writes for sites without typed tags. */

type Fields = Record<string, unknown>;

/** On sites for sharing, these people are those who uploaded the picture. */
const uploadKeys = [
  'md5',
  'checksum',
  'safety',
  'tag_string',
  'file_url',
  'tags_artist',
  'uploader',
  'sha512_hash',
];

/** Where the name is, the first one first. */
const people: string[][] = [
  ...['name', 'username', 'handle', 'nick', 'displayName'].map((key) => ['author', key]),
  ['author'],
  ...['name', 'username', 'account'].map((key) => ['user', key]),
  ['username'],
  ['user_profile', 'name'],
  ['owner_username'],
  ['owner'],
  ...['username', 'display_name'].map((key) => ['account', key]),
  ...['full_name', 'name', 'vanity'].map((key) => ['creator', key]),
  ['creator'],
  ['fanclub_name'],
  ['blog_name'],
];

export function personIn(fields: Fields): string | undefined {
  if (uploadKeys.some((key) => Object.hasOwn(fields, key))) return undefined;
  const names = people.map((path) => textAt(fields, path));
  // Some sites have only the number of a user.
  return names.find((name) => name !== undefined && !/^\d+$/.test(name));
}

function textAt(fields: Fields, path: string[]): string | undefined {
  let value: unknown = fields;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Fields)[key];
  }
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The address of the page of a picture. `text` is the JSON: numbers of tweets are too long for a number of JavaScript. */
export function pageIn(fields: Fields, text: string): string | undefined {
  const { id, post_url, url, permalink } = fields;
  if (typeof post_url === 'string') return post_url;
  if (typeof permalink === 'string' && permalink.startsWith('/r/'))
    return `https://www.reddit.com${permalink}`;
  // In the JSON of other sites, `url` is the address of the file.
  const isPage = Object.hasOwn(fields, 'deviationid') || Object.hasOwn(fields, 'spoiler_text');
  if (typeof url === 'string' && isPage) return url;
  const tweet = /"tweet_id"\s*:\s*"?(\d{1,20})\b/.exec(text)?.[1];
  if (tweet && Object.hasOwn(fields, 'tweet_id')) return `https://x.com/i/status/${tweet}`;
  if (typeof id === 'object' || !/^\d{1,15}$/.test(String(id))) return undefined;
  if (Object.hasOwn(fields, 'x_restrict')) return `https://www.pixiv.net/artworks/${id}`;
  if (Object.hasOwn(fields, 'fa_category')) return `https://www.furaffinity.net/view/${id}/`;
  return undefined;
}
