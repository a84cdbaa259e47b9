/** The backdrops people built: streets, rooms and festivals, and the forest they walk to. */
import { type Backdrop, bokeh, type Canvas, cloud, glow, hill, sky, stars, times, wash } from './backdrop.ts';
import { mix } from './colour.ts';
import { ellipse, fill, group, num, rect, stroke, vertical } from './svg.ts';

export function city(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const row = (count: number, low: number, high: number, colour: string, lights: string): string =>
    times(count, (i) => {
      const [x, bw, bh] = [(i / count) * w - 6, (w / count) * 1.12, rng.between(low, high) * h];
      const cell = bw / 6;
      const windows = times(Math.floor(bh / (cell * 1.7)) * 4, (k) =>
        rng.next() < 0.5
          ? rect(
              x + cell * (1 + (k % 4) * 1.15),
              h - bh + cell * (0.8 + Math.floor(k / 4) * 1.7),
              cell * 0.7,
              cell * 0.95,
              lights,
              0.85,
            )
          : '',
      );
      return rect(x, h - bh, bw, bh, colour) + windows;
    });
  return {
    back:
      sky(c, [0, '#221f55'], [0.5, '#6a4a90'], [1, '#f08a90']) +
      stars(c, 40, 0.45) +
      glow('moon', w * 0.2, h * 0.18, h * 0.2, '#fff3cf', 0.5) +
      ellipse(w * 0.2, h * 0.18, h * 0.05, h * 0.05, '#fff6d8') +
      row(9, 0.4, 0.66, '#4d3f80', '#c99ac0') +
      row(7, 0.22, 0.5, '#31295f', '#ffd98a'),
    front: wash(c, '#4a3a90', 0.07),
  };
}

export function forest(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const trunks = (count: number, width: number, colour: string): string =>
    times(count, (i) => {
      const [x, t] = [((i + rng.next()) / count) * w, width * w * rng.between(0.7, 1.3)];
      return fill(
        `M${num(x - t)} ${h}C${num(x - t * 0.5)} ${num(h * 0.7)} ${num(x - t * 0.6)} ${num(h * 0.3)} ${num(x - t * 0.6)} 0H${num(x + t * 0.6)}C${num(x + t * 0.6)} ${num(h * 0.3)} ${num(x + t * 0.5)} ${num(h * 0.7)} ${num(x + t)} ${h}Z`,
        colour,
      );
    });
  const canopy = (depth: number, colours: readonly [string, ...string[]]): string =>
    times(26, () =>
      ellipse(rng.between(0, w), rng.between(-0.04, depth) * h, 0.1 * w, 0.07 * h, rng.pick(colours), 0.8),
    );
  return {
    back:
      sky(c, [0, '#d8f2b0'], [0.6, '#b4e0a8'], [1, '#6fb088']) +
      trunks(8, 0.016, '#8cc094') +
      canopy(0.2, ['#a8dc98', '#bce8a4']) +
      trunks(5, 0.026, '#5c9a7c') +
      canopy(0.13, ['#7cc488', '#68b27c']) +
      times(4, (i) =>
        fill(
          `M${num(w * (0.3 + i * 0.18))} 0h${num(w * 0.07)}L${num(w * (0.1 + i * 0.2))} ${h}h${num(-w * 0.16)}Z`,
          '#fffbd0',
          0.2,
        ),
      ) +
      hill(c, h * 0.86, h * 0.02, '#4f9a6c') +
      hill(c, h * 0.94, h * 0.02, '#3c8460') +
      bokeh(c, 16, ['#f6ffb8', '#ffffff']),
    front: wash(c, '#5fbf78', 0.04),
  };
}

export function classroom(c: Canvas): Backdrop {
  const { w, h } = c;
  const pane = (i: number): string => {
    const [x, pw] = [w * (0.05 + i * 0.32), w * 0.27];
    return (
      rect(x - 8, h * 0.1 - 8, pw + 16, h * 0.52 + 16, '#f9f2e4') +
      rect(x, h * 0.1, pw, h * 0.52, 'url(#pane)') +
      group(
        `translate(${num(x + pw * 0.5)} ${num(h * (0.26 + (i % 2) * 0.14))})`,
        cloud(0, 0, pw * 0.2, '#ffffff', 0.9),
      ) +
      rect(x + pw / 2 - 4, h * 0.1, 8, h * 0.52, '#f9f2e4') +
      rect(x, h * 0.36, pw, 7, '#f9f2e4')
    );
  };
  const curtain = (x: number, width: number): string =>
    times(4, (i) => rect(x + (i * width) / 4, 0, width / 4 + 1, h * 0.7, i % 2 ? '#fff6e0' : '#f6e6c4'));
  return {
    back:
      vertical('pane', h * 0.1, h * 0.62, [0, '#7cc6f4'], [1, '#d9f1ff']) +
      rect(0, 0, w, h, '#ecdcc0') +
      times(3, pane) +
      curtain(0, w * 0.09) +
      curtain(w * 0.91, w * 0.09) +
      rect(0, h * 0.68, w, h * 0.32, '#d2b48c') +
      rect(0, h * 0.68, w, 8, '#b8966c') +
      times(
        3,
        (i) =>
          rect(w * (0.02 + i * 0.34), h * 0.8, w * 0.28, h * 0.035, '#b67f4e', 1, 6) +
          rect(w * (0.05 + i * 0.34), h * 0.83, 10, h * 0.2, '#8a8f9c') +
          rect(w * (0.26 + i * 0.34), h * 0.83, 10, h * 0.2, '#8a8f9c'),
      ) +
      fill(`M0 ${num(h * 0.2)}L${num(w * 0.6)} ${h}H${num(w * 0.2)}L0 ${num(h * 0.7)}Z`, '#fffbe0', 0.22),
    front: wash(c, '#fff0c0', 0.04),
  };
}

export function library(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const shelfHeight = h / 4.2;
  const shelf = (level: number): string => {
    const floor = (level + 1) * shelfHeight;
    let [x, books] = [8, ''];
    while (x < w - 8) {
      const [bw, bh] = [rng.between(0.016, 0.036) * Math.max(w, h), shelfHeight * rng.between(0.6, 0.84)];
      const colour = mix(
        rng.pick(['#b5545a', '#4f7a94', '#d9a05b', '#6a8a5e', '#8a5f8f', '#c9806a']),
        '#6b4636',
        0.25,
      );
      books +=
        rect(x, floor - bh, bw - 2, bh, colour, 1, 2) +
        rect(x, floor - bh * 0.82, bw - 2, bh * 0.06, '#f0d9a0', 0.7);
      x += rng.next() < 0.1 ? bw * 2 : bw;
    }
    return (
      books +
      rect(0, floor, w, shelfHeight * 0.09, '#a06a44') +
      rect(0, floor + shelfHeight * 0.09, w, 5, '#4f3028', 0.5)
    );
  };
  return {
    back:
      rect(0, 0, w, h, '#5c3a30') +
      times(5, shelf) +
      glow('lamp', w * 0.5, h * 0.3, h * 0.75, '#ffe6a8', 0.65),
    front: wash(c, '#ffb060', 0.05),
  };
}

export function cafe(c: Canvas): Backdrop {
  const { w, h } = c;
  const lamp = (x: number): string =>
    stroke(`M${num(x)} 0V${num(h * 0.1)}`, '#6b4a44', 5) +
    fill(
      `M${num(x - h * 0.05)} ${num(h * 0.15)}C${num(x - h * 0.05)} ${num(h * 0.08)} ${num(x + h * 0.05)} ${num(h * 0.08)} ${num(x + h * 0.05)} ${num(h * 0.15)}Z`,
      '#e0796a',
    ) +
    glow(`lamp${Math.round(x)}`, x, h * 0.17, h * 0.24, '#fff0b0', 0.75);
  return {
    back:
      rect(0, 0, w, h, '#f6dfc4') +
      times(9, (i) => rect((i * w) / 9, 0, w / 18, h * 0.62, '#f9e8d2')) +
      rect(w * 0.08, h * 0.16, w * 0.84, h * 0.4, '#fffaf0', 1, 26) +
      rect(w * 0.1, h * 0.18, w * 0.8, h * 0.36, '#bfe3ea', 1, 20) +
      times(5, (i) =>
        ellipse(w * (0.16 + i * 0.17), h * 0.5, w * 0.1, h * 0.09, i % 2 ? '#8fcba0' : '#a8d9a8'),
      ) +
      rect(w * 0.1, h * 0.53, w * 0.8, h * 0.05, '#fffaf0') +
      rect(0, h * 0.62, w, h * 0.38, '#c98f6a') +
      times(7, (i) => rect(0, h * (0.62 + i * 0.055), w, 4, '#a8704f', 0.5)) +
      lamp(w * 0.15) +
      lamp(w * 0.5) +
      lamp(w * 0.85),
    front: wash(c, '#ffc890', 0.04),
  };
}

export function festival(c: Canvas): Backdrop {
  const { w, h } = c;
  const string = (y: number, sag: number, count: number): string =>
    stroke(`M-10 ${num(y)}Q${num(w / 2)} ${num(y + sag * 2)} ${num(w + 10)} ${num(y)}`, '#3a2848', 4) +
    times(count, (i) => {
      const t = (i + 0.5) / count;
      const [x, ly, r] = [t * w, y + sag * 4 * t * (1 - t) + 22, Math.max(w, h) * 0.03];
      const colour = i % 2 ? '#ff7a5c' : '#ffb44f';
      return (
        glow(`l${Math.round(y)}-${i}`, x, ly, r * 2.6, colour, 0.6) +
        ellipse(x, ly, r, r * 1.15, colour) +
        ellipse(x, ly, r * 0.55, r * 0.8, '#ffe6a8', 0.7) +
        rect(x - r * 0.4, ly - r * 1.3, r * 0.8, r * 0.26, '#3a2848') +
        rect(x - r * 0.4, ly + r * 1.05, r * 0.8, r * 0.26, '#3a2848')
      );
    });
  return {
    back:
      sky(c, [0, '#171446'], [0.6, '#46306e'], [1, '#94486a']) +
      stars(c, 50, 0.5) +
      hill(c, h * 0.84, h * 0.02, '#2a1c4c') +
      string(h * 0.06, h * 0.06, 7) +
      string(h * 0.3, h * 0.05, 6) +
      string(h * 0.55, h * 0.04, 8),
    front: wash(c, '#ff8a5c', 0.05),
  };
}
