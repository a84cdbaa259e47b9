/** The building blocks of hair: the brush they are painted with, caps, bundles, braids, buns and curls. */
import { bow } from './ornaments.ts';
import {
  at,
  fill,
  inked,
  type Lock,
  lock,
  lockLine,
  mirror,
  num,
  type Point,
  points,
  smooth,
  stroke,
  swoop,
  union,
} from './svg.ts';

export interface Brush {
  /** The lighter paint of the front, for hair that is one mass with the fringe. */
  front: string;
  paint: string;
  line: string;
  ink: number;
  accent: string;
  light: string;
}

const SKULL: readonly Point[] = [
  [0, -160],
  [64, -146],
  [106, -90],
  [114, -10],
];

export const capWith = (half: readonly Point[]): string =>
  smooth([...SKULL, ...half, ...mirror([...SKULL.slice(1), ...half]).reverse()], true);

/** A bundle of locks inked as one, with strands along it and a lighter streak on the first. */
export function bundle(locks: readonly Lock[], { paint, line, ink, light }: Brush): string {
  return (
    union(locks.map(lock), paint, line, ink * 0.55) +
    locks.map((l) => stroke(lockLine(l), line, ink * 0.6, 0.35)).join('') +
    locks
      .slice(0, 1)
      .map((l) => stroke(lockLine(l), light, ink * 2.2, 0.35))
      .join('')
  );
}

export function braid(side: number, brush: Brush): string {
  const { paint, line, ink, accent } = brush;
  const links = Array.from({ length: 7 }, (_, i) => {
    const [x, y, w] = [side * (106 + Math.sin(i * 0.5) * 8), 96 + i * 34, 27 - i * 1.7];
    return (
      inked(
        `M${x} ${y - 10}C${x + w * 1.2} ${y - 14} ${x + w * 1.1} ${y + 24} ${x - 4} ${y + 32}C${x - 8} ${y + 18} ${x - 6} ${y + 4} ${x} ${y - 10}Z`,
        paint,
        line,
        ink * 0.8,
      ) +
      inked(
        `M${x} ${y - 10}C${x - w * 1.2} ${y - 14} ${x - w * 1.1} ${y + 24} ${x + 4} ${y + 32}C${x + 8} ${y + 18} ${x + 6} ${y + 4} ${x} ${y - 10}Z`,
        paint,
        line,
        ink * 0.8,
      )
    );
  }).join('');
  const end: Lock = swoop([side * 108, 322], [side * 110, 345], [side * 112, 370], [side * 100, 392], 10, 15);
  return bundle([end], brush) + links + bow(side * 107, 328, 17, accent);
}

/** Tips and valleys of tousled hair around the right half of the head, from the crown down. */
const TOUSLED = points([
  8, -170, 54, -188, 62, -160, 114, -152, 104, -120, 148, -84, 118, -64, 154, -2, 116, 4, 138, 66, 102, 50,
  104, 106, 64, 84,
]);

export function tousled(): string {
  const around = [...TOUSLED, ...mirror(TOUSLED).reverse()];
  const curves = around.map(([x, y], i) => {
    const [px, py] = around[(i + around.length - 1) % around.length] ?? [0, 0];
    // The upper side of every spike bows out and the lower side in, so that they all flick downwards.
    const rising = Math.hypot(px, py) < Math.hypot(x, y) === i < TOUSLED.length;
    const reach = rising ? 0.55 : 0.47;
    return `Q${num((x + px) * reach)} ${num((y + py) * 0.5)} ${num(x)} ${num(y)}`;
  });
  return `M${at(around.at(-1) ?? [0, 0])}${curves.join('')}Z`;
}

export function curlCloud({ paint, line, ink, light }: Brush): string {
  const rings: [number, number, number][] = [
    [96, -110, 46],
    [134, -46, 48],
    [148, 30, 50],
    [150, 106, 50],
    [138, 178, 46],
    [108, 232, 40],
    [50, -150, 44],
    [60, 150, 90],
  ];
  const all = rings.flatMap(([x, y, r]): [number, number, number][] => [
    [x, y, r],
    [-x, y, r],
  ]);
  const circle = ([x, y, r]: [number, number, number]): string =>
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${r * 2} 0a${r} ${r} 0 1 0 ${-r * 2} 0Z`;
  const swirl = ([x, y, r]: [number, number, number]): string => {
    const s = Math.sign(x);
    return (
      stroke(
        `M${x + s * r * 0.6} ${y - r * 0.2}C${x + s * r * 0.5} ${y + r * 0.6} ${x - s * r * 0.5} ${y + r * 0.5} ${x - s * r * 0.3} ${y - r * 0.1}C${x - s * r * 0.1} ${y - r * 0.4} ${x + s * r * 0.3} ${y - r * 0.2} ${x + s * r * 0.2} ${y + r * 0.1}`,
        line,
        ink * 0.75,
        0.5,
      ) +
      stroke(
        `M${x + s * r * 0.2} ${y - r * 0.7}C${x + s * r * 0.6} ${y - r * 0.6} ${x + s * r * 0.75} ${y - r * 0.3} ${x + s * r * 0.75} ${y}`,
        light,
        ink * 1.6,
        0.5,
      )
    );
  };
  return (
    union(
      [
        capWith([
          [104, 66],
          [90, 120],
        ]),
        ...all.map(circle),
      ],
      paint,
      line,
      ink * 0.55,
    ) +
    all
      .filter(([, , r]) => r < 60)
      .map(swirl)
      .join('')
  );
}

export function bun(side: number, { paint, line, ink, accent, light }: Brush): string {
  const x = side * 100;
  return (
    inked(`M${x - 50} -150a50 48 0 1 0 100 0a50 48 0 1 0 -100 0Z`, paint, line, ink) +
    stroke(
      `M${x - side * 26} -128C${x - side * 34} -176 ${x + side * 24} -184 ${x + side * 26} -148C${x + side * 26} -128 ${x - side * 4} -128 ${x - side * 4} -146`,
      line,
      ink * 0.75,
      0.55,
    ) +
    stroke(
      `M${x - side * 10} -186C${x + side * 20} -188 ${x + side * 36} -170 ${x + side * 36} -152`,
      light,
      ink * 2,
      0.5,
    ) +
    fill(
      `M${x - side * 46} -128C${x - side * 20} -92 ${x + side * 20} -98 ${x + side * 36} -112L${x + side * 30} -100C${x} -84 ${x - side * 30} -90 ${x - side * 52} -116Z`,
      accent,
    )
  );
}
