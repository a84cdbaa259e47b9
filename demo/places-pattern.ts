/** The abstract backdrops, and the choice of a backdrop by name. */
import { type Backdrop, bokeh, type Canvas, glow, hearts, sky, times, wash } from './backdrop.ts';
import { cafe, city, classroom, festival, forest, library } from './places-built.ts';
import { aurora, autumn, blossoms, meadow, night, sea, snow, sunset } from './places-sky.ts';
import { ellipse, fill, num, rect, star, stroke } from './svg.ts';
import type { Place } from './types.ts';

const PASTELS: readonly [string, string, string][] = [
  ['#fbe3ea', '#ffffff', '#f7bccd'],
  ['#dff1ec', '#ffffff', '#a9dccb'],
  ['#e6e4fa', '#ffffff', '#c2bcf2'],
  ['#fdf0d2', '#ffffff', '#f6d792'],
];

function dots(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const [ground, light, spot] = rng.pick([
    PASTELS[0] ?? ['#fbe3ea', '#ffffff', '#f7bccd'],
    ...PASTELS.slice(1),
  ]);
  const step = Math.max(w, h) / 11;
  const grid = times(13 * 13, (i) => {
    const [col, row] = [i % 13, Math.floor(i / 13)];
    return ellipse((col + (row % 2) / 2) * step, row * step * 0.87, step * 0.2, step * 0.2, spot, 0.75);
  });
  return {
    back: rect(0, 0, w, h, ground) + grid + glow('spot', w / 2, h * 0.42, Math.max(w, h) * 0.5, light, 0.8),
    front: '',
  };
}

function speed(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const reach = Math.hypot(w, h);
  const line = (): string => {
    const [angle, half, inner] = [
      rng.between(0, Math.PI * 2),
      rng.between(0.004, 0.02),
      rng.between(0.22, 0.36),
    ];
    const at = (a: number, r: number): string =>
      `${num(w / 2 + Math.cos(a) * r)} ${num(h * 0.45 + Math.sin(a) * r)}`;
    return fill(
      `M${at(angle, reach * inner)}L${at(angle - half, reach)}L${at(angle + half, reach)}Z`,
      rng.pick(['#f2683c', '#f9a03f', '#ffffff']),
      0.9,
    );
  };
  return {
    back:
      rect(0, 0, w, h, '#ffd166') +
      glow('burst', w / 2, h * 0.45, reach * 0.45, '#fffbe6', 1) +
      times(120, line),
    front: '',
  };
}

function heartField(c: Canvas): Backdrop {
  const { w, h } = c;
  const stripes = times(14, (i) =>
    fill(
      `M${num((i / 7 - 0.6) * w)} 0h${num(w / 14)}l${num(w * 0.5)} ${h}h${num(-w / 14)}Z`,
      '#ffffff',
      0.35,
    ),
  );
  return {
    back: sky(c, [0, '#ffd9e4'], [1, '#ffc0d0']) + stripes + hearts(c, 34),
    front: hearts(c, 7, true),
  };
}

function rays(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const reach = Math.hypot(w, h);
  const [ground, ray] = rng.pick([
    ['#8fd0e8', '#b4e2f2'],
    ['#f7a8a0', '#fbc4b8'],
    ['#a99cec', '#c2b8f4'],
  ]);
  const wedge = (i: number): string => {
    const at = (turn: number): string =>
      `${num(w / 2 + Math.cos(turn) * reach)} ${num(h * 0.55 + Math.sin(turn) * reach)}`;
    return fill(
      `M${num(w / 2)} ${num(h * 0.55)}L${at((i * Math.PI) / 10)}L${at(((i + 0.5) * Math.PI) / 10)}Z`,
      ray ?? '#ffffff',
    );
  };
  const sparkles = times(22, () =>
    fill(
      star(rng.between(0, w), rng.between(0, h), rng.between(0.012, 0.03) * h, 0.006 * h, 4),
      '#ffffff',
      0.9,
    ),
  );
  return {
    back:
      rect(0, 0, w, h, ground ?? '#8fd0e8') +
      times(20, wedge) +
      glow('heart', w / 2, h * 0.5, reach * 0.4, '#ffffff', 0.6) +
      sparkles,
    front: '',
  };
}

function rain(c: Canvas): Backdrop {
  const { w, h, rng, phase } = c;
  const streak = (opacity: number) => (): string => {
    const [x, start, length] = [rng.between(0, w * 1.1), rng.next(), rng.between(0.04, 0.09) * h];
    const y = ((start + phase * 2) % 1) * h * 1.2 - h * 0.1;
    return stroke(`M${num(x)} ${num(y)}l${num(-length * 0.18)} ${num(length)}`, '#e6f2ff', 2.4, opacity);
  };
  return {
    back:
      sky(c, [0, '#5a6a94'], [1, '#9fb2cc']) +
      bokeh(c, 26, ['#ffd98a', '#ff9f8a', '#9fe0ff']) +
      times(70, streak(0.5)),
    front: times(30, streak(0.4)) + wash(c, '#4a6090', 0.06),
  };
}

const PLACES: Record<Place, (canvas: Canvas) => Backdrop> = {
  sunset,
  night,
  aurora,
  sea,
  snow,
  blossoms,
  city,
  forest,
  meadow,
  autumn,
  classroom,
  library,
  cafe,
  festival,
  rain,
  dots,
  speed,
  rays,
  hearts: heartField,
};

export const paintPlace = (place: Place, canvas: Canvas): Backdrop => PLACES[place](canvas);
