/** HTML text in which everything that is put in is escaped, unless it is markup itself. */
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

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string);
}

export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  const texts = parts.map((part, index) => part + textOf(contents[index] ?? ''));
  return new Markup(texts.join(''));
}

function textOf(content: Content): string {
  if (content instanceof Markup) return content.text;
  return Array.isArray(content) ? content.map(textOf).join('') : escaped(String(content));
}

/** A text whose words in backticks are code. */
export function prose(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
