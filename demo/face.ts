/** The face without its hair: head shape, ears, nose, mouth, blush and glasses. */
import { deepen, mix, shade } from './colour.ts';
import { clipped, ellipse, fill, group, inked, radial, stroke } from './svg.ts';
import type { Expression, Look } from './types.ts';

/** The head is drawn around the origin: 200 wide, crown at -140, chin at 128. */
const ROUND_HEAD =
  'M-100 -40C-102 6 -99 40 -84 68C-66 98 -26 124 0 128C26 124 66 98 84 68C99 40 102 6 100 -40C100 -112 52 -140 0 -140C-52 -140 -100 -112 -100 -40Z';
const ANGULAR_HEAD =
  'M-98 -40C-100 10 -96 48 -82 78C-66 104 -26 132 0 136C26 132 66 104 82 78C96 48 100 10 98 -40C98 -112 52 -140 0 -140C-52 -140 -98 -112 -98 -40Z';

export const headShape = (look: Look): string => (look.angular ? ANGULAR_HEAD : ROUND_HEAD);
export const skinLine = (look: Look): string => mix(shade(look.skin, 0.5), '#8c3b3b', 0.35);
export const skinShade = (look: Look): string => mix(deepen(look.skin, 0.14), '#e0707a', 0.2);

function humanEar(look: Look, side: number, ink: number): string {
  const ear = 'M94 -2C108 -14 122 -4 119 18C116 38 104 50 92 46Z';
  return group(
    `scale(${side} 1)`,
    inked(ear, look.skin, skinLine(look), ink),
    stroke('M101 6C110 4 112 16 104 32', skinShade(look), 4),
  );
}

function elfEar(look: Look, side: number, ink: number): string {
  const ear = 'M90 -6C112 -20 148 -38 178 -46C170 -14 136 30 92 44Z';
  return group(
    `scale(${side} 1)`,
    inked(ear, look.skin, skinLine(look), ink),
    fill('M102 4C122 -10 146 -24 164 -32C152 -8 128 18 102 28Z', skinShade(look), 0.8),
  );
}

function cheeks(id: string, strength: number): string {
  const cheek = (side: number): string => {
    const glow = ellipse(side * 62, 66, 27, 17, `url(#${id}b)`, strength);
    const hatch = `M${side * 62 - 12} 70l5 -9m5 9l5 -9m5 9l5 -9`;
    return glow + (strength > 0.7 ? stroke(hatch, '#e0607a', 2.4, 0.7) : '');
  };
  return (
    radial(`${id}b`, [0, '#ff7d8e', 0.75], [0.5, '#ff8f98', 0.4], [1, '#ff9aa0', 0]) + cheek(-1) + cheek(1)
  );
}

const OPEN_MOUTH = 'M-19 80C-8 84 8 84 19 80C18 98 9 106 0 106C-9 106 -18 98 -19 80Z';

function mouth(expression: Expression, line: string, id: string): string {
  switch (expression) {
    case 'laugh':
    case 'wink':
      return (
        inked(OPEN_MOUTH, '#a33b4e', line, 3) +
        clipped(
          `${id}m`,
          OPEN_MOUTH,
          ellipse(0, 106, 14, 9, '#f2808a'),
          fill('M-18 80h36v5q-18 5 -36 0Z', '#ffffff'),
        ) +
        stroke('M-21 79C-8 84 8 84 21 79', line, 3)
      );
    case 'surprised':
      return (
        inked('M0 82C9 82 10 104 0 104C-10 104 -9 82 0 82Z', '#a33b4e', line, 3) +
        ellipse(0, 99, 5, 4, '#f2808a')
      );
    case 'sleepy':
      return stroke('M-8 92C-3 89 4 89 8 92', line, 3.2);
    case 'shy':
      return stroke('M-14 91C-9 86 -5 94 0 90C5 86 9 94 14 90', line, 3.2);
    case 'determined':
      return stroke('M-13 91C-4 88 6 88 13 90', line, 3.6) + stroke('M-5 101h10', line, 2, 0.4);
    case 'calm':
      return stroke('M-12 89C-5 94 5 94 12 89', line, 3.2);
    case 'smug':
      return (
        stroke('M-18 85C-16 95 -3 95 0 87C3 95 16 95 18 85', line, 3.4) +
        fill('M6 93l5 0l-2.500 7Z', '#ffffff')
      );
    case 'smile':
      return stroke('M-19 84C-9 96 9 96 19 84', line, 3.4) + stroke('M-6 101h12', line, 2, 0.3);
  }
}

const BLUSH: Record<Expression, number> = {
  smile: 0.6,
  laugh: 0.7,
  wink: 0.65,
  surprised: 0.5,
  sleepy: 0.55,
  shy: 1,
  determined: 0.35,
  calm: 0.45,
  smug: 0.6,
};

/** Everything of the face that lies under the eyes. */
export function face(look: Look, expression: Expression, id: string, ink: number): string {
  const line = skinLine(look);
  const ear = look.feature === 'elf' ? elfEar : humanEar;
  const hidden = look.feature === 'cat' || look.feature === 'fox' || look.feature === 'bunny';
  const shape = headShape(look);
  const surface = radial(
    `${id}f`,
    [0, mix(look.skin, '#fff0e0', 0.28)],
    [0.7, look.skin],
    [1, mix(look.skin, skinShade(look), 0.5)],
  );
  return [
    hidden ? '' : ear(look, -1, ink) + ear(look, 1, ink),
    surface,
    inked(shape, `url(#${id}f)`, line, ink),
    cheeks(id, BLUSH[expression]),
    stroke('M-2 60C2 61 4 64 1 67', mix(line, look.skin, 0.25), 3),
    ellipse(3, 56, 3, 4, '#ffffff', 0.55),
    mouth(expression, mix(line, '#6b2233', 0.4), id),
  ].join('');
}

export function glasses(frame: string): string {
  const lens = (side: number): string =>
    `<rect x="${side * 47 - 36}" y="-6" width="72" height="64" rx="27" fill="#ffffff" fill-opacity="0.13" stroke="${frame}" stroke-width="4.500"/>` +
    stroke(`M${side * 47 - 20} 12l12 -12m-12 24l22 -22`, '#ffffff', 3.5, 0.5);
  return lens(-1) + lens(1) + stroke('M-12 20C-6 13 6 13 12 20M83 16L104 8M-83 16L-104 8', frame, 4.5);
}
