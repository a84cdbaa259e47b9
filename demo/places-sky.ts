/** The backdrops under an open sky. */
import {
  type Backdrop,
  type Canvas,
  cloud,
  glow,
  hill,
  leaves,
  petals,
  sky,
  snowflakes,
  stars,
  times,
  wash,
} from './backdrop.ts';
import { mix } from './colour.ts';
import { ellipse, fill, inked, num, type Point, rect, smooth, stroke } from './svg.ts';

export function sunset(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const sun = Math.min(w, h) * 0.17;
  return {
    back:
      sky(c, [0, '#5f5aa8'], [0.35, '#d977a0'], [0.62, '#ffa873'], [0.8, '#ffdd95']) +
      glow('sun', w * 0.74, h * 0.56, sun * 3, '#fff0b0', 0.9) +
      ellipse(w * 0.74, h * 0.56, sun, sun, '#fff3c4') +
      times(6, (i) =>
        cloud(
          rng.between(0, w),
          h * (0.12 + i * 0.085),
          rng.between(0.04, 0.09) * w,
          i < 3 ? '#f7a8b8' : '#ffd9a8',
          0.5,
        ),
      ) +
      hill(c, h * 0.76, h * 0.03, '#9a5f92') +
      hill(c, h * 0.84, h * 0.03, '#7a4a80') +
      hill(c, h * 0.93, h * 0.02, '#573a6b'),
    front: wash(c, '#ff9a5c', 0.06),
  };
}

export function night(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const r = Math.min(w, h) * 0.15;
  const [x, y] = [w * 0.8, h * 0.2];
  return {
    back:
      sky(c, [0, '#141a4a'], [0.5, '#2f3a80'], [1, '#6a6ab8']) +
      stars(c, 90, 0.85) +
      glow('moon', x, y, r * 2.6, '#fff3cf', 0.6) +
      ellipse(x, y, r, r, '#fff6d8') +
      ellipse(x - r * 0.3, y - r * 0.2, r * 0.2, r * 0.2, '#efdcae', 0.7) +
      ellipse(x + r * 0.25, y + r * 0.3, r * 0.27, r * 0.27, '#efdcae', 0.6) +
      times(4, () =>
        cloud(rng.between(0, w), rng.between(0.3, 0.62) * h, rng.between(0.05, 0.1) * w, '#8088cc', 0.35),
      ) +
      hill(c, h * 0.86, h * 0.03, '#232862') +
      hill(c, h * 0.94, h * 0.02, '#181b4a'),
    front: wash(c, '#28308a', 0.08),
  };
}

export function aurora(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const ribbon = (i: number): string => {
    const base = h * (0.2 + i * 0.13);
    const points: Point[] = Array.from({ length: 8 }, (_, k) => [
      (k / 7) * (w + 60) - 30,
      base + rng.between(-0.07, 0.07) * h,
    ]);
    const lower = points.map(([px, py]): Point => [px, py - h * 0.2]).reverse();
    const colour = ['#5ff0c0', '#6fc8ff', '#b58cff'][i] ?? '#5ff0c0';
    return (
      fill(`${smooth(points)}L${smooth(lower).slice(1)}Z`, colour, 0.26) +
      stroke(smooth(points), mix(colour, '#ffffff', 0.5), 3, 0.5)
    );
  };
  return {
    back:
      sky(c, [0, '#0f1640'], [0.6, '#1f4a70'], [1, '#3f7f90']) +
      stars(c, 70, 0.8) +
      times(3, ribbon) +
      hill(c, h * 0.8, h * 0.07, '#27456e') +
      pines(c, h * 0.9, '#16284a', 12) +
      hill(c, h * 0.93, h * 0.02, '#dfeefa'),
    front: wash(c, '#2a6a8a', 0.06),
  };
}

function pines({ w, h, rng }: Canvas, ground: number, colour: string, count: number): string {
  return times(count, (i) => {
    const [x, t] = [((i + rng.next() * 0.7) / count) * w, rng.between(0.16, 0.34) * h];
    const tier = (k: number): string => {
      const [top, half] = [ground - t + k * t * 0.24, t * (0.13 + k * 0.07)];
      return `M${num(x)} ${num(top)}L${num(x + half)} ${num(top + t * 0.4)}H${num(x - half)}Z`;
    };
    return fill(tier(0) + tier(1) + tier(2), colour);
  });
}

export function sea(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  return {
    back:
      sky(c, [0, '#58b4f0'], [0.55, '#c4ecff'], [0.56, '#3f9fd8'], [0.82, '#5fc8d8'], [0.86, '#fbe9c4']) +
      times(3, (i) =>
        cloud(
          w * (0.12 + i * 0.38),
          h * rng.between(0.36, 0.46),
          rng.between(0.08, 0.13) * w,
          '#ffffff',
          0.95,
        ),
      ) +
      times(26, () =>
        rect(
          rng.between(0, w),
          h * rng.between(0.57, 0.8),
          rng.between(0.02, 0.08) * w,
          3,
          '#ffffff',
          0.55,
          1.5,
        ),
      ) +
      stroke(
        `M-10 ${num(h * 0.85)}Q${num(w * 0.25)} ${num(h * 0.82)} ${num(w * 0.5)} ${num(h * 0.86)}T${num(w + 10)} ${num(h * 0.84)}`,
        '#ffffff',
        h * 0.016,
        0.85,
      ) +
      inked(
        `M${num(w * 0.82)} ${num(h * 0.56)}l${num(w * 0.05)} 0l${num(-w * 0.008)} ${num(h * 0.018)}h${num(-w * 0.034)}Z`,
        '#ffffff',
        '#5f86a8',
        2,
      ) +
      fill(
        `M${num(w * 0.846)} ${num(h * 0.553)}V${num(h * 0.47)}l${num(w * 0.035)} ${num(h * 0.083)}Z`,
        '#ffffff',
      ),
    front: wash(c, '#fff6d0', 0.04),
  };
}

export function snow(c: Canvas): Backdrop {
  const { h } = c;
  return {
    back:
      sky(c, [0, '#8fb0dc'], [0.7, '#dbe8f7'], [1, '#ffffff']) +
      pines(c, h * 0.72, '#a9c2e0', 11) +
      hill(c, h * 0.72, h * 0.02, '#e4eefa') +
      pines(c, h * 0.84, '#7f9fc8', 7) +
      hill(c, h * 0.84, h * 0.03, '#f6faff') +
      snowflakes(c, 50),
    front: snowflakes(c, 26, true) + wash(c, '#cfe2ff', 0.05),
  };
}

export function blossoms(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const branch = (side: number, y: number): string => {
    const x0 = side < 0 ? -20 : w + 20;
    const x1 = x0 - side * w * 0.5;
    const d = `M${num(x0)} ${num(y)}C${num(x0 - side * w * 0.18)} ${num(y - h * 0.04)} ${num(x0 - side * w * 0.3)} ${num(y + h * 0.05)} ${num(x1)} ${num(y - h * 0.02)}`;
    const puffs = times(34, () => {
      const t = rng.next();
      const r = rng.between(0.014, 0.034) * Math.max(w, h);
      return ellipse(
        x0 + (x1 - x0) * t,
        y + rng.between(-0.07, 0.07) * h,
        r,
        r,
        rng.pick(['#ffc1d5', '#ffd6e3', '#f9a8c4', '#fff0f5']),
        0.85,
      );
    });
    return stroke(d, '#7a5560', h * 0.014) + puffs;
  };
  return {
    back:
      sky(c, [0, '#a8d4f7'], [0.55, '#fbe1ee'], [1, '#ffd3e2']) +
      hill(c, h * 0.82, h * 0.03, '#f7bdd2') +
      hill(c, h * 0.92, h * 0.02, '#b9dba8') +
      branch(-1, h * 0.1) +
      branch(1, h * 0.2) +
      branch(-1, h * 0.42) +
      petals(c, 24),
    front: petals(c, 14, true) + wash(c, '#ffb0cc', 0.04),
  };
}

export function meadow(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  return {
    back:
      sky(c, [0, '#74c4f4'], [0.7, '#e2f6ff']) +
      times(4, (i) =>
        cloud(w * (0.1 + i * 0.28), h * rng.between(0.1, 0.34), rng.between(0.05, 0.1) * w, '#ffffff', 0.9),
      ) +
      hill(c, h * 0.66, h * 0.05, '#a4dba0') +
      hill(c, h * 0.76, h * 0.04, '#84c98a') +
      hill(c, h * 0.87, h * 0.02, '#69b574') +
      times(70, () => {
        const [x, y] = [rng.between(0, w), h * rng.between(0.86, 1)];
        return ellipse(x, y, 0.007 * h, 0.007 * h, rng.pick(['#ffffff', '#ffe27a', '#ff9fb8', '#c6a4f4']));
      }),
    front: wash(c, '#fff2b0', 0.04),
  };
}

export function autumn(c: Canvas): Backdrop {
  const { w, h, rng } = c;
  const tree = (x: number, y: number, r: number): string =>
    fill(
      `M${num(x - r * 0.12)} ${num(y + r * 2)}L${num(x - r * 0.06)} ${num(y)}h${num(r * 0.12)}L${num(x + r * 0.12)} ${num(y + r * 2)}Z`,
      '#8a5a4a',
    ) +
    times(9, () =>
      ellipse(
        x + rng.between(-0.7, 0.7) * r,
        y + rng.between(-0.7, 0.4) * r,
        r * 0.55,
        r * 0.5,
        rng.pick(['#f0a04a', '#e8803a', '#f6c565', '#d96a3a']),
        0.85,
      ),
    );
  return {
    back:
      sky(c, [0, '#f9dca8'], [0.7, '#fff1d6']) +
      times(6, (i) => tree(w * (0.06 + i * 0.18), h * rng.between(0.3, 0.48), h * 0.16)) +
      hill(c, h * 0.8, h * 0.02, '#dd9a55') +
      hill(c, h * 0.9, h * 0.02, '#c47a45') +
      leaves(c, 18),
    front: leaves(c, 12, true) + wash(c, '#ffb35c', 0.05),
  };
}
