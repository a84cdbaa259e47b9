/** Creates and finds elements. Text is never parsed as HTML. */

type Value = string | number | boolean | undefined | ((event: Event) => void);

/** Functions become event listeners; false and undefined attributes are left out. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Value> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  element.append(...children);
  return element;
}

export const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

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
