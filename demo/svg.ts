/** The SVG vocabulary the drawings are written in: shapes, gradients, smooth curves and tapered locks. */

export type Point = readonly [x: number, y: number];
export type Stop = readonly [offset: number, colour: string, opacity?: number];

export const num = (value: number): string => String(Math.round(value * 10) / 10);
export const at = ([x, y]: Point): string => `${num(x)} ${num(y)}`;
const lerp = (a: number, b: number, t: number): number => a + (b - a) * t;
/** Points from a flat list of coordinates, the compact form the outline tables are written in. */
export const points = (flat: readonly number[]): Point[] =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[i * 2] ?? 0, flat[i * 2 + 1] ?? 0]);
export const mirror = (list: readonly Point[]): Point[] => list.map(([x, y]) => [-x, y]);

/** Paint opacity, never element `opacity`: the latter makes the rasteriser composite a canvas-sized layer. */
const alpha = (kind: 'fill' | 'stroke', opacity: number): string =>
  opacity < 1 ? ` ${kind}-opacity="${Math.round(opacity * 100) / 100}"` : '';

export const fill = (d: string, colour: string, opacity = 1): string =>
  `<path d="${d}" fill="${colour}"${alpha('fill', opacity)}/>`;

export const inked = (d: string, colour: string, line: string, width = 3): string =>
  `<path d="${d}" fill="${colour}" stroke="${line}" stroke-width="${num(width)}" stroke-linejoin="round"/>`;

export const stroke = (d: string, colour: string, width: number, opacity = 1): string =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${num(width)}" stroke-linecap="round" stroke-linejoin="round"${alpha('stroke', opacity)}/>`;

export const ellipse = (
  cx: number,
  cy: number,
  rx: number,
  ry: number,
  colour: string,
  opacity = 1,
): string =>
  `<ellipse cx="${num(cx)}" cy="${num(cy)}" rx="${num(rx)}" ry="${num(ry)}" fill="${colour}"${alpha('fill', opacity)}/>`;

export const rect = (
  x: number,
  y: number,
  w: number,
  h: number,
  colour: string,
  opacity = 1,
  radius = 0,
): string =>
  `<rect x="${num(x)}" y="${num(y)}" width="${num(w)}" height="${num(h)}"${radius > 0 ? ` rx="${num(radius)}"` : ''} fill="${colour}"${alpha('fill', opacity)}/>`;

export const group = (transform: string, ...content: string[]): string =>
  `<g transform="${transform}">${content.join('')}</g>`;

export const clipped = (id: string, d: string, ...content: string[]): string =>
  `<clipPath id="${id}"><path d="${d}"/></clipPath><g clip-path="url(#${id})">${content.join('')}</g>`;

const stops = (list: readonly Stop[]): string =>
  list
    .map(
      ([offset, colour, opacity = 1]) =>
        `<stop offset="${offset}" stop-color="${colour}"${opacity < 1 ? ` stop-opacity="${opacity}"` : ''}/>`,
    )
    .join('');

/** A vertical gradient in user space, so that many shapes painted with it shade as one surface. */
export const vertical = (id: string, top: number, bottom: number, ...list: Stop[]): string =>
  `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="0" x2="0" y1="${num(top)}" y2="${num(bottom)}">${stops(list)}</linearGradient>`;

/** A radial gradient that fits whatever shape it fills. */
export const radial = (id: string, ...list: Stop[]): string =>
  `<radialGradient id="${id}">${stops(list)}</radialGradient>`;

/** A Catmull-Rom curve through the points: the smooth hand behind hair, clouds and hills. */
export function smooth(list: readonly Point[], closed = false): string {
  const count = list.length;
  const point = (index: number): Point => {
    const wrapped = closed ? (index + count) % count : Math.min(Math.max(index, 0), count - 1);
    return list[wrapped] ?? [0, 0];
  };
  const parts = [`M${at(point(0))}`];
  for (let i = 0; i < (closed ? count : count - 1); i++) {
    const [a, b, c, d] = [point(i - 1), point(i), point(i + 1), point(i + 2)];
    const out: Point = [b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6];
    const back: Point = [c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6];
    parts.push(`C${at(out)} ${at(back)} ${at(c)}`);
  }
  return parts.join('') + (closed ? 'Z' : '');
}

/** Where a lock of hair runs: a cubic curve and the widths at its root and belly; it always ends in a point. */
export interface Lock {
  path: readonly [Point, Point, Point, Point];
  root: number;
  belly: number;
}

export const swoop = (a: Point, b: Point, c: Point, d: Point, root: number, belly: number): Lock => ({
  path: [a, b, c, d],
  root,
  belly,
});

function onCurve([a, b, c, d]: Lock['path'], t: number): Point {
  const u = 1 - t;
  const along = (i: 0 | 1): number =>
    u * u * u * a[i] + 3 * u * u * t * b[i] + 3 * u * t * t * c[i] + t * t * t * d[i];
  return [along(0), along(1)];
}

/** The outline of a lock: both sides of its curve, swelling to the belly and tapering to the tip. */
export function lock({ path, root, belly }: Lock): string {
  const left: Point[] = [];
  const right: Point[] = [];
  const steps = 7;
  for (let i = 0; i < steps; i++) {
    const t = i / steps;
    const [x, y] = onCurve(path, t);
    const [x2, y2] = onCurve(path, t + 0.02);
    const length = Math.hypot(x2 - x, y2 - y) || 1;
    const width =
      t < 0.45
        ? lerp(root, belly, Math.sin((t / 0.45) * 1.57))
        : belly * Math.cos(((t - 0.45) / 0.55) * 1.57);
    const [nx, ny] = [(-(y2 - y) / length) * width, ((x2 - x) / length) * width];
    left.push([x + nx, y + ny]);
    right.push([x - nx, y - ny]);
  }
  const side = smooth([...left, path[3]]);
  const back = smooth([path[3], ...right.reverse()]).replace(/^M[^C]*/, '');
  return `${side}${back}Z`;
}

/** The centre line of a lock, for the strands drawn on it. */
export const lockLine = ({ path: [a, b, c, d] }: Lock): string => `M${at(a)}C${at(b)} ${at(c)} ${at(d)}`;

/** Several shapes inked as one: outlines first, then fills, so that no line shows where they overlap. */
export const union = (paths: readonly string[], colour: string, line: string, width = 3): string =>
  paths.map((d) => inked(d, colour, line, width * 2)).join('') + paths.map((d) => fill(d, colour)).join('');

/** A limb: a thick rounded stroke with an ink line on both sides. */
export const tube = (d: string, colour: string, line: string, width: number, ink = 3): string =>
  stroke(d, line, width + ink * 2) + stroke(d, colour, width);

/** A regular star or sparkle of the given number of points. */
export function star(cx: number, cy: number, outer: number, inner: number, points: number): string {
  const corners = Array.from({ length: points * 2 }, (_, i) => {
    const angle = (i * Math.PI) / points - Math.PI / 2;
    const r = i % 2 === 0 ? outer : inner;
    return at([cx + Math.cos(angle) * r, cy + Math.sin(angle) * r]);
  });
  return `M${corners.join('L')}Z`;
}
