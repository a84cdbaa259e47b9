/** What all backdrops share: their shape, and the small things that drift through the air. */
import { mix } from './colour.ts';
import type { Rng } from './random.ts';
import {
  ellipse,
  fill,
  group,
  num,
  type Point,
  radial,
  rect,
  type Stop,
  smooth,
  star,
  vertical,
} from './svg.ts';

export interface Canvas {
  w: number;
  h: number;
  rng: Rng;
  /** Position in the loop of an animated picture, 0 to 1; still pictures use 0. */
  phase: number;
}

export interface Backdrop {
  back: string;
  /** Drawn over the figures: petals, snow and the light of the place. */
  front: string;
}

export const sky = ({ w, h }: Canvas, ...list: Stop[]): string =>
  vertical('sky', 0, h, ...list) + rect(0, 0, w, h, 'url(#sky)');

export const times = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => draw(i)).join('');

/** Colours the whole scene with the light of the place, so that figures belong to it. */
export const wash = ({ w, h }: Canvas, colour: string, opacity: number): string =>
  rect(0, 0, w, h, colour, opacity);

export const glow = (id: string, x: number, y: number, r: number, colour: string, opacity: number): string =>
  radial(id, [0, colour, opacity], [0.5, colour, opacity * 0.35], [1, colour, 0]) +
  ellipse(x, y, r, r, `url(#${id})`);

/** Rolling ground from side to side, filled down to the bottom edge. */
export function hill({ w, h, rng }: Canvas, y: number, rough: number, colour: string): string {
  const points: Point[] = Array.from({ length: 7 }, (_, i) => [
    (i / 6) * (w + 80) - 40,
    y + rng.between(-rough, rough),
  ]);
  return fill(`${smooth(points)}L${w + 40} ${h}L-40 ${h}Z`, colour);
}

export function cloud(x: number, y: number, size: number, colour: string, opacity: number): string {
  const puffs: [number, number, number][] = [
    [-1.1, 0.1, 0.45],
    [-0.5, -0.22, 0.6],
    [0.2, -0.4, 0.75],
    [0.85, -0.08, 0.55],
    [1.4, 0.16, 0.35],
  ];
  const puff = ([dx, dy, r]: [number, number, number]): string => {
    const radius = num(r * size);
    const across = num(r * size * 2);
    return `M${num(x + (dx - r) * size)} ${num(y + dy * size)}a${radius} ${radius} 0 1 1 ${across} 0a${radius} ${radius} 0 1 1 -${across} 0Z`;
  };
  const base = `M${num(x - size * 1.4)} ${num(y)}h${num(size * 3)}v${num(size * 0.5)}h${num(-size * 3)}Z`;
  return fill(puffs.map(puff).join('') + base, colour, opacity);
}

/** Stars whose brightness follows the phase, each with its own beat. */
export const stars = ({ w, h, rng, phase }: Canvas, count: number, depth: number): string =>
  times(count, (i) => {
    const [x, y, r, beat] = [rng.between(0, w), rng.between(0, h * depth), rng.between(0.8, 2.4), rng.next()];
    const twinkle = 0.55 + 0.45 * Math.sin((phase + beat) * Math.PI * 2);
    return i % 9 === 0
      ? fill(star(x, y, r * 5 * (0.6 + twinkle * 0.5), r, 4), '#fff7d8', Math.round(twinkle * 100) / 100)
      : ellipse(x, y, r, r, '#ffffff', twinkle);
  });

interface Drift {
  count: number;
  /** Keeps to the sides, away from faces. */
  aside: boolean;
  size: readonly [number, number];
  colours: readonly [string, ...string[]];
  shape: string;
}

const PETAL = 'M0 -10C7 -8 8 4 0 10C-8 4 -7 -8 0 -10Z';
const LEAF = 'M0 -12C10 -8 9 6 0 13C-9 6 -10 -8 0 -12Z';
const HEART = 'M0 9C-9 1 -12 -4 -9 -8C-6 -11 -1 -9 0 -5C1 -9 6 -11 9 -8C12 -4 9 1 0 9Z';
const FLAKE = 'M-9 0a9 9 0 1 0 18 0a9 9 0 1 0 -18 0Z';

/** Things falling through the picture; a whole number of falls per loop keeps the animation seamless. */
function falling({ w, h, rng, phase }: Canvas, { count, aside, size, colours, shape }: Drift): string {
  return times(count, (i) => {
    const across = rng.between(-0.02, 0.5);
    const x = w * (aside ? across * 0.5 + (i % 2) * 0.74 : across + (i % 2) * 0.5);
    const [start, scale, turn] = [rng.next(), rng.between(...size), rng.between(0, 360)];
    const y = ((start + phase) % 1) * (h + 60) - 30;
    const sway = Math.sin((phase + start) * Math.PI * 2) * 14;
    const colour = colours[i % colours.length] ?? colours[0];
    return group(
      `translate(${num(x + sway)} ${num(y)}) rotate(${num(turn + phase * 360)}) scale(${Math.round(scale * 100) / 100})`,
      fill(shape, colour, 0.9),
    );
  });
}

const sized = ({ w, h }: Canvas): number => Math.sqrt((w * h) / 600000);

export const petals = (c: Canvas, count: number, aside = false): string =>
  falling(c, {
    count,
    aside,
    size: [0.7 * sized(c), 1.6 * sized(c)],
    colours: ['#ffc4d6', '#ffdbe6', '#f9a9c2'],
    shape: PETAL,
  });

export const leaves = (c: Canvas, count: number, aside = false): string =>
  falling(c, {
    count,
    aside,
    size: [0.8 * sized(c), 1.7 * sized(c)],
    colours: ['#e8803a', '#d9552f', '#f2b04a'],
    shape: LEAF,
  });

export const snowflakes = (c: Canvas, count: number, aside = false): string =>
  falling(c, { count, aside, size: [0.2 * sized(c), 0.85 * sized(c)], colours: ['#ffffff'], shape: FLAKE });

export const hearts = (c: Canvas, count: number, aside = false): string =>
  falling(c, {
    count,
    aside,
    size: [0.8 * sized(c), 2.2 * sized(c)],
    colours: ['#ff9db4', '#ffc2cf', '#ffffff'],
    shape: HEART,
  });

/** Out-of-focus lights. */
export const bokeh = (
  { w, h, rng }: Canvas,
  count: number,
  colours: readonly [string, ...string[]],
): string =>
  times(count, () => {
    const r = rng.between(0.012, 0.05) * Math.max(w, h);
    const colour = rng.pick(colours);
    const [x, y] = [rng.between(0, w), rng.between(0, h)];
    return (
      ellipse(x, y, r, r, colour, 0.22) + ellipse(x, y, r * 0.8, r * 0.8, mix(colour, '#ffffff', 0.4), 0.16)
    );
  });
