/** The hair in front of the face: the cap over the crown, the fringe, its shine and the side locks. */
import { deepen, gleam, mix, shade } from './colour.ts';
import { at, fill, inked, type Lock, lock, lockLine, num, type Point, points, stroke, union } from './svg.ts';
import type { Bangs, Look } from './types.ts';

/** The lower edge of a fringe, left to right: alternating valleys and tips, starting and ending on a valley. */
const EDGES: Record<Bangs, readonly Point[]> = {
  soft: points([
    -112, 24, -92, 40, -84, -6, -58, 18, -48, -40, -18, 12, -8, -48, 14, 2, 26, -44, 54, 16, 66, -30, 90, 38,
    112, 24,
  ]),
  straight: points([
    -112, 40, -88, 2, -82, -18, -56, -4, -50, -26, -26, -2, -20, -28, 6, -2, 12, -28, 32, -2, 38, -26, 62, -4,
    68, -20, 88, 2, 112, 40,
  ]),
  swept: points([
    -112, 30, -98, 46, -84, -2, -70, 20, -50, -28, -34, 10, -8, -46, 0, -4, 40, -104, 72, -6, 80, -34, 96, 40,
    112, 28,
  ]),
  parted: points([
    -112, 36, -98, 48, -88, 2, -74, 12, -58, -34, -44, -14, 0, -106, 44, -14, 58, -34, 74, 12, 88, 2, 98, 48,
    112, 36,
  ]),
  spiky: points([
    -112, 10, -100, 34, -88, -16, -72, 16, -60, -38, -40, 8, -26, -50, -4, 20, 8, -54, 30, 2, 40, -46, 62, 18,
    70, -34, 94, 30, 112, 6,
  ]),
  veil: points([
    -112, 40, -92, 70, -84, 20, -60, 66, -38, 0, -22, 20, 10, -60, 40, -8, 48, -70, 76, 10, 84, -24, 98, 44,
    112, 30,
  ]),
};

/** Where the strands of each fringe spring from. */
const CROWNS: Record<Bangs, number> = { soft: 6, straight: 0, swept: 42, parted: 0, spiky: 8, veil: 50 };

function edgePath(edge: readonly Point[], crown: number): string {
  let d = '';
  for (let i = 1; i < edge.length; i++) {
    const a: Point = edge[i - 1] ?? [0, 0];
    const b: Point = edge[i] ?? [0, 0];
    const tip = i % 2 === 1 ? b : a;
    const valley = i % 2 === 1 ? a : b;
    // Both sides of a strand bow outwards from the parting, which makes the tips lean like falling hair.
    const outward = Math.sign(tip[0] - crown) * Math.min(9, Math.abs(tip[1] - valley[1]) * 0.16);
    const control: Point = [valley[0] * 0.45 + tip[0] * 0.55 + outward, valley[1] * 0.4 + tip[1] * 0.6];
    d += `Q${at(control)} ${at(b)}`;
  }
  return d;
}

/** Only the tips: tousled hair runs on over the crown, where an outline would look like a cap. */
function fringeEdge(look: Look): string {
  const edge = EDGES[look.bangs];
  return `M${at(edge[0] ?? [0, 0])}${edgePath(edge, CROWNS[look.bangs])}`;
}

export function fringePath(look: Look): string {
  const edge = EDGES[look.bangs];
  const lift = look.back === 'cropped' || look.back === 'messy' ? -160 : -168;
  return `M-112 24C-132 -60 -112 ${lift} 0 ${lift}C112 ${lift} 132 -60 112 24L${at(edge.at(-1) ?? [112, 24])}${edgePath([...edge].reverse(), CROWNS[look.bangs])}Z`;
}

/** The light on the crown: a smooth arc above, and below it the points where it runs down the strands. */
function shine(colour: string): string {
  const depths = [8, 20, 13, 26, 15, 30, 19, 34, 16, 27, 20, 17, 9];
  const spread = (i: number): number => ((i / depths.length - 0.5) * 118 * Math.PI) / 180;
  const place = (angle: number, inward: number): Point => [
    Math.sin(angle) * (114 - inward),
    -Math.cos(angle) * (124 - inward) + 4,
  ];
  const ends = [place(spread(0), 8), place(spread(depths.length), 8)] as const;
  const crown = place(0, -13);
  const runs = depths.map((depth, i) => {
    const [tip, valley] = [
      place(spread(i + 0.5), depth + 4),
      place(spread(i + 1), i === depths.length - 1 ? 8 : 5),
    ];
    const side = (t: number): Point => place(spread(i + t), depth * 0.45 + 4);
    return `Q${at(side(0.2))} ${at(tip)}Q${at(side(0.8))} ${at(valley)}`;
  });
  return fill(
    `M${at(ends[1])}Q${at([ends[1][0] * 0.72, crown[1]])} ${at(crown)}Q${at([ends[0][0] * 0.72, crown[1]])} ${at(ends[0])}${runs.join('')}Z`,
    colour,
    0.6,
  );
}

/** A soft shadow down one side of every strand of the fringe. */
function strandShadows(look: Look): string {
  const edge = EDGES[look.bangs];
  const crown = CROWNS[look.bangs];
  const shadows = edge.map((tip, i) => {
    if (i % 2 === 0) return '';
    const side = tip[0] < crown ? 1 : -1;
    const valley = edge[i + side];
    if (valley === undefined || Math.abs(valley[0]) > 100) return '';
    const root: Point = [valley[0] + (crown - valley[0]) * 0.2, valley[1] - 44];
    return `M${at(root)}L${at(valley)}Q${at([(valley[0] + tip[0]) / 2, valley[1] * 0.4 + tip[1] * 0.6])} ${at(tip)}Q${at([valley[0] * 0.6 + tip[0] * 0.4 - side * 7, valley[1] - 4])} ${at(root)}Z`;
  });
  return fill(shadows.join(''), deepen(look.hair, 0.3), 0.55);
}

function strands(look: Look, ink: number): string {
  const crown = CROWNS[look.bangs];
  const line = shade(look.hair, 0.4);
  return EDGES[look.bangs]
    .filter(([, y], i) => i % 2 === 0 && y < 20)
    .map(([x, y]) => {
      const rise = Math.max(-150, y - 62);
      return stroke(
        `M${num(x)} ${num(y)}Q${num(x * 1.02)} ${num((y + rise) / 2 - 6)} ${num(x + (crown - x) * 0.42)} ${num(rise)}`,
        line,
        ink * 0.75,
        0.65,
      );
    })
    .join('');
}

const sideLock = (side: number, length: number, belly: number): Lock => ({
  path: [
    [side * 100, -62],
    [side * (length < 70 ? 114 : 126), 0],
    [side * 112, length * 0.6],
    [side * 92, length],
  ],
  root: 8,
  belly,
});

/** How far the locks beside the cheeks hang, by what the rest of the hair does. */
const LOCK_LENGTH: Record<Look['back'], number> = {
  bob: 118,
  long: 236,
  twintails: 150,
  ponytail: 132,
  buns: 140,
  messy: 62,
  curls: 150,
  braids: 96,
  sidetail: 140,
  cropped: 40,
  wavy: 228,
};

export function frontHair(look: Look, id: string, ink: number): string {
  const line = shade(look.hair, 0.62);
  const length = LOCK_LENGTH[look.back];
  const belly = length > 200 ? 20 : 15;
  const locks = [
    sideLock(-1, length, belly),
    sideLock(1, length, belly),
    sideLock(-1, length * 0.72, 11),
    sideLock(1, length * 0.72, 11),
  ];
  const paint = `url(#${id}h)`;
  return [
    union(locks.map(lock), paint, line, ink * 0.55),
    locks
      .slice(0, 2)
      .map((l) => stroke(lockLine(l), line, ink * 0.6, 0.4))
      .join(''),
    look.back === 'messy'
      ? fill(fringePath(look), paint) + stroke(fringeEdge(look), line, ink)
      : inked(fringePath(look), paint, line, ink),
    strandShadows(look),
    shine(gleam(look.hair)),
    strands(look, ink),
    look.angular ? '' : ahoge(look, line, ink, paint),
  ].join('');
}

/** The stray lock on the crown. */
function ahoge(look: Look, line: string, ink: number, paint: string): string {
  if (look.feature === 'halo' || look.bangs === 'straight') return '';
  const stray: Lock = {
    path: [
      [4, -162],
      [0, -196],
      [30, -214],
      [52, -190],
    ],
    root: 5,
    belly: 6,
  };
  return inked(lock(stray), paint, mix(line, look.hair, 0.1), ink * 0.9);
}
