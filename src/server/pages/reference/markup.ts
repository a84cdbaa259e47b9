/** Safe HTML. The `html` template escapes everything it inserts, except other markup. */
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
