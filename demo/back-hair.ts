/** The hair behind the head, and the tails and braids that hang beside it. */
import { gleam, shade } from './colour.ts';
import { type Brush, braid, bun, bundle, capWith, curlCloud, tousled } from './hair-pieces.ts';
import { bow } from './ornaments.ts';
import { inked, type Lock, type Point, stroke, swoop } from './svg.ts';
import type { BackHair, Look } from './types.ts';

interface HairParts {
  /** Drawn behind the body. */
  behind: string;
  /** Drawn over the body, still under the fringe. */
  over: string;
}

const flip = ({ path: [a, b, c, d], root, belly }: Lock): Lock => {
  const m = ([x, y]: Point): Point => [-x, y];
  return { path: [m(a), m(b), m(c), m(d)], root, belly };
};

const both = (locks: readonly Lock[]): Lock[] => [...locks, ...locks.map(flip)];

const LONG_TAIL: readonly Lock[] = [
  swoop([128, -62], [232, -30], [226, 200], [168, 352], 16, 42),
  swoop([128, -62], [260, 0], [244, 180], [222, 300], 14, 28),
  swoop([126, -56], [190, 60], [170, 160], [138, 296], 12, 26),
];

const PONY: readonly Lock[] = [
  swoop([40, -140], [230, -250], [262, 60], [176, 268], 22, 50),
  swoop([40, -140], [270, -200], [282, 60], [232, 236], 16, 30),
  swoop([50, -120], [180, -120], [190, 80], [134, 236], 14, 28),
];

const curtain = (length: number, spread: number): Lock[] =>
  both(
    [0.15, 0.42, 0.7, 0.96].map((f, i) =>
      swoop(
        [f * 96, -60],
        [f * spread * 1.12, length * 0.3],
        [f * spread * 1.05, length * 0.7],
        [f * spread + (i % 2 ? 14 : -6), length - f * f * 40 - (i % 2) * 14],
        40,
        46,
      ),
    ),
  );

const WAVES: readonly Lock[] = both([
  swoop([76, -70], [178, 40], [96, 190], [196, 312], 40, 46),
  swoop([90, -60], [196, 20], [140, 130], [222, 216], 30, 36),
  swoop([60, -40], [120, 90], [56, 240], [150, 392], 40, 50),
  swoop([30, 0], [80, 120], [16, 270], [92, 430], 40, 48),
  swoop([0, 0], [40, 140], [-30, 280], [26, 440], 40, 44),
]);

/** Hair that falls behind the neck, and hair put up or cut so that the nape is free. */
const fullCap = capWith([
  [108, 66],
  [100, 110],
  [64, 132],
]);
const napeCap = capWith([
  [102, 40],
  [84, 76],
  [48, 96],
]);
const bobCap = capWith([
  [112, 60],
  [128, 104],
  [118, 150],
  [84, 166],
  [46, 150],
]);

const STYLES: Record<BackHair, (brush: Brush) => HairParts> = {
  bob: (b) => ({
    behind:
      inked(bobCap, b.paint, b.line, b.ink) +
      stroke('M-116 60C-122 110 -108 140 -92 152M116 60C122 110 108 140 92 152', b.line, b.ink * 0.7, 0.4),
    over: '',
  }),
  cropped: (b) => ({
    behind: inked(napeCap, b.paint, b.line, b.ink),
    over: '',
  }),
  messy: (b) => ({ behind: inked(tousled(), b.front, b.line, b.ink), over: '' }),
  long: (b) => ({ behind: inked(fullCap, b.paint, b.line, b.ink) + bundle(curtain(430, 168), b), over: '' }),
  wavy: (b) => ({ behind: inked(fullCap, b.paint, b.line, b.ink) + bundle(WAVES, b), over: '' }),
  curls: (b) => ({ behind: curlCloud(b), over: '' }),
  twintails: (b) => ({
    behind: bundle(LONG_TAIL, b) + bundle(LONG_TAIL.map(flip), b) + inked(napeCap, b.paint, b.line, b.ink),
    over: bow(126, -72, 27, b.accent) + bow(-126, -72, 27, b.accent),
  }),
  ponytail: (b) => ({
    behind: bundle(PONY, b) + bow(74, -150, 34, b.accent) + inked(napeCap, b.paint, b.line, b.ink),
    over: '',
  }),
  buns: (b) => ({
    behind: inked(napeCap, b.paint, b.line, b.ink) + [-1, 1].map((s) => bun(s, b)).join(''),
    over: '',
  }),
  braids: (b) => ({ behind: inked(napeCap, b.paint, b.line, b.ink), over: braid(-1, b) + braid(1, b) }),
  sidetail: (b) => ({
    behind: inked(napeCap, b.paint, b.line, b.ink),
    over:
      bundle(
        [
          swoop([104, 84], [150, 150], [128, 270], [92, 380], 18, 36),
          swoop([104, 84], [170, 160], [160, 250], [138, 330], 14, 24),
        ],
        b,
      ) + bow(108, 92, 24, b.accent),
  }),
};

export function backHair(look: Look, id: string, ink: number): HairParts {
  const brush: Brush = {
    front: `url(#${id}h)`,
    paint: `url(#${id}d)`,
    line: shade(look.hair, 0.64),
    ink,
    accent: look.accent,
    light: gleam(look.hair),
  };
  return STYLES[look.back](brush);
}
