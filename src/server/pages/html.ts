/** Safe HTML: what pages allow a browser to load and to run, and a template that escapes what it inserts. */
import type { IncomingMessage } from 'node:http';
import type { Services } from '../../api/services.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';
/** Of feeds, as links to them name it. */
export const ATOM_TYPE = 'application/atom+xml';
export const JSON_FEED_TYPE = 'application/feed+json';

const CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** For pages without scripts. */
export const PAGE_POLICY = `default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; ${CLOSED}`;

/** Allows only our own files, the API, and images from the origin of this client's links. */
export function scriptPolicy(
  { links, originOf }: Services,
  request: IncomingMessage,
): Record<string, string> {
  const { url } = links.signer(originOf(request), { begins: 0, expires: 1 })({ fileName: '-', key: '-' });
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'",
    `img-src 'self' ${new URL(url).origin}`,
    CLOSED,
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' };
}

/** The `html` template escapes everything it inserts, except other markup. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Content = string | number | Markup | Content[];

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string);
}

export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  const texts = parts.map((part, index) => part + toText(contents[index] ?? ''));
  return new Markup(texts.join(''));
}

function toText(content: Content): string {
  if (content instanceof Markup) return content.text;
  return Array.isArray(content) ? content.map(toText).join('') : escapeHtml(String(content));
}

/** Turns `code` in backticks into `<code>`. */
export function prose(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
