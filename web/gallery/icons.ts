/** Icons like those of the page, with a path in a square of 20 units. */
export function icon(...paths: string[]): SVGElement {
  const create = (name: string) => document.createElementNS('http://www.w3.org/2000/svg', name);
  const picture = create('svg') as SVGElement;
  picture.setAttribute('viewBox', '0 0 20 20');
  picture.setAttribute('aria-hidden', 'true');
  for (const d of paths) {
    const path = create('path');
    path.setAttribute('d', d);
    picture.append(path);
  }
  return picture;
}
