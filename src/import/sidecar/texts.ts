/** Titles and descriptions that tools and cameras wrote, as plain text that an image can have. */
import { cutText, MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH } from '../../catalogue/documents/details.ts';
import { cleanName, withoutHidden } from '../../catalogue/hidden-characters.ts';

/** Longer texts are cut before anything else. */
const MAX_READ_LENGTH = 10 * MAX_DESCRIPTION_LENGTH;

/** One line. Undefined if it is no text, or empty. */
export function titleText(value: unknown): string | undefined {
  const text = cleanName(plainText(value)?.replace(/\s+/g, ' ') ?? '');
  return text ? cutText(text, MAX_TITLE_LENGTH).trim() : undefined;
}

/** HTML becomes text. Undefined if it is no text, or empty. */
export function descriptionText(value: unknown): string | undefined {
  const plain = plainText(value);
  const text = plain && (isHtml.test(plain) ? withoutHtml(plain) : plain).trim();
  return text ? cutText(text, MAX_DESCRIPTION_LENGTH).trim() : undefined;
}

/** Line breaks are line feeds. */
function plainText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, MAX_READ_LENGTH).toWellFormed().replace(/\r\n?/g, '\n');
  return withoutHidden(text, true).normalize();
}

const isHtml = /<\/?(?:a|b|blockquote|br|code|div|em|h[1-6]|i|img|li|ol|p|span|strong|u|ul)\b[^<>]*>/i;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

function withoutHtml(text: string): string {
  // A pattern with spaces on both sides of the line feed would take quadratic time.
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .join(' ')
    .replace(/<(?:br|\/p|\/div|\/li|\/h[1-6]|\/blockquote)\b[^<>]*>\s*/gi, '\n')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '');
}

/** What cameras and programs write when nobody has written anything. */
const BOILERPLATE =
  /^(?:.{0,30}digital (?:still )?camera|sony dsc|dcim|exif[ _]jpeg[ _]picture|.{0,10}jpeg image|created with .{0,40}|default|untitled|screenshot|image|ascii|\W*)$/i;

export function isBoilerplate(text: string): boolean {
  return BOILERPLATE.test(text.trim());
}
