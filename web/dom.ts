/** Making and finding elements. Text is always set as text: nothing here reads HTML. */

type Value = string | number | boolean | undefined | ((event: Event) => void);

/** A function is a listener, `true` an attribute without a value; what is false or undefined is left out. */
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

/** An element that the page always has. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** A link to somewhere else. Addresses come from the catalogue, and only the web's may be followed. */
export function linkOut(address: string, text: string): Node {
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol)
    ? el('a', { href: url.href, rel: 'noopener noreferrer', class: 'out' }, text)
    : document.createTextNode(text);
}
