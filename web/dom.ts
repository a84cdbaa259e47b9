/** Creates and finds elements. Text is never parsed as HTML. */

type Value = string | number | boolean | undefined | ((event: Event) => void);

export type Attributes = Record<string, Value>;

/**
 * The tag may be followed by classes: `p.quiet`. Attributes come first, if there are any. Functions become event listeners; false and
 * undefined attributes are left out.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  selector: Tag | `${Tag}.${string}`,
  ...content: [Attributes, ...(Node | string)[]] | (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag as Tag);
  element.classList.add(...classes);
  for (const part of content)
    if (typeof part === 'string' || part instanceof Node) element.append(part);
    else
      for (const [name, value] of Object.entries(part))
        if (typeof value === 'function') element.addEventListener(name, value);
        else if (value !== undefined && value !== false)
          element.setAttribute(name, value === true ? '' : String(value));
  return element;
}

export const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Browsers offer the clipboard on secure origins only. Elsewhere, selected text next to `place` can be copied. */
export async function copyText(text: string, place: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el('textarea.visually-hidden', text);
    const focused = document.activeElement as HTMLElement | null;
    // In an open dialog, nothing outside of it can be selected.
    place.after(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    focused?.focus();
    return isCopied;
  }
}

/** For elements that the page always contains. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** Plain text unless the address is http or https: addresses come from the catalogue. */
export function externalLink(address: string, text: string): Node {
  return /^https?:/i.test(address)
    ? el('a', { href: address, rel: 'noopener noreferrer', class: 'external' }, text)
    : document.createTextNode(text);
}
