/** The eyes and brows: the part of a face that carries its expression. */
import { mix, shade, tint } from './colour.ts';
import { clipped, ellipse, fill, group, num, stroke, vertical } from './svg.ts';
import type { Expression, Look } from './types.ts';

/** How one eye is held: how far open, or one of the two closed arcs. */
type Lid = number | 'happy' | 'rest';

interface Gaze {
  lids: readonly [left: Lid, right: Lid];
  /** Height of the brows and how far their inner ends drop (positive frowns, negative worries). */
  brow: readonly [lift: number, frown: number];
  iris: number;
}

const GAZES: Record<Expression, Gaze> = {
  smile: { lids: [1, 1], brow: [2, -2], iris: 1 },
  laugh: { lids: ['happy', 'happy'], brow: [5, -3], iris: 1 },
  wink: { lids: [1, 'happy'], brow: [4, -1], iris: 1 },
  surprised: { lids: [1.12, 1.12], brow: [13, -3], iris: 0.86 },
  sleepy: { lids: [0.52, 0.52], brow: [0, -4], iris: 1 },
  shy: { lids: [0.9, 0.9], brow: [4, -9], iris: 1.04 },
  determined: { lids: [0.9, 0.9], brow: [-3, 10], iris: 0.97 },
  calm: { lids: [0.84, 0.84], brow: [0, -1], iris: 1 },
  smug: { lids: [0.76, 0.76], brow: [3, 5], iris: 1 },
};

function irisOf(id: string, side: number, scale: number): string {
  const x = (value: number): number => side * value;
  return group(
    `translate(1 0) scale(${scale})`,
    ellipse(0, 0, 22, 28, `url(#${id}k)`),
    ellipse(0, 1, 19.5, 25, `url(#${id}i)`),
    ellipse(0, 14, 14, 11, `url(#${id}g)`),
    ellipse(0, -1, 8.5, 12, `url(#${id}k)`),
    ellipse(x(-8), -11, 7.5, 9, '#ffffff'),
    ellipse(x(8), 11, 4.2, 4.8, '#ffffff', 0.92),
    ellipse(x(-10), 9, 2.2, 2.6, '#ffffff', 0.75),
  );
}

function openEye(id: string, side: number, open: number, lash: string, scale: number): string {
  const y = (value: number): string => num(value < 0 ? value * open + (1 - open) * 6 : value);
  const white = `M-28 6C-25 ${y(-20)} -10 ${y(-31)} 5 ${y(-31)}C20 ${y(-31)} 30 ${y(-19)} 30 ${y(-2)}C29 16 18 28 2 28.500C-12 28.500 -25 21 -28 6Z`;
  const upper = `M-31 8C-28 ${y(-24)} -9 ${y(-38)} 7 ${y(-38)}C20 ${y(-38)} 29 ${y(-30)} 33 ${y(-18)}C36 ${y(-16)} 39 ${y(-17)} 42 ${y(-20)}C41 ${y(-10)} 37 ${y(-3)} 32 ${y(-1)}L32 4C29 ${y(-12)} 20 ${y(-26)} 6 ${y(-27)}C-9 ${y(-28)} -22 ${y(-14)} -31 8Z`;
  return [
    clipped(
      `${id}w${side > 0 ? 'r' : 'l'}`,
      white,
      fill(white, '#fffdfb'),
      irisOf(id, side, scale),
      fill(`M-32 ${y(-40)}H36V${y(-20)}C20 ${y(-30)} -14 ${y(-28)} -32 2Z`, '#5b4a86', 0.22),
    ),
    fill(upper, lash),
    stroke(`M-20 ${y(-39)}C-8 ${y(-47)} 12 ${y(-48)} 27 ${y(-38)}`, lash, 2.2, 0.55),
    stroke('M29 9C26 19 20 26 9 29', lash, 3),
    stroke('M9 29C2 30.500 -5 30 -11 28', lash, 1.8, 0.55),
  ].join('');
}

function closedEye(kind: 'happy' | 'rest', lash: string): string {
  return kind === 'happy'
    ? stroke('M-29 12C-18 -16 18 -18 32 10', lash, 6.2) + stroke('M30 6l11 -3M26 -1l11 -8', lash, 3.4)
    : stroke('M-29 6C-18 24 18 26 32 6', lash, 6) + stroke('M29 11l10 5M20 18l7 8M-2 21v7', lash, 3.2);
}

function brow(side: number, [lift, frown]: Gaze['brow'], colour: string, heavy: boolean): string {
  const [inner, outer] = [-34 - lift + frown, -34 - lift - frown * 0.25];
  const d = `M${side * 22} ${inner}C${side * 38} ${inner - 8} ${side * 58} ${outer - 8} ${side * 78} ${outer + 4}C${side * 58} ${outer - 3} ${side * 38} ${inner - 1} ${side * 21} ${inner + 5}Z`;
  return `<path d="${d}" fill="${colour}" stroke="${colour}" stroke-width="${heavy ? 3 : 1.6}" stroke-linejoin="round" fill-opacity="0.85" stroke-opacity="0.5"/>`;
}

export const browsOf = (look: Look, expression: Expression): string => {
  const colour = shade(look.hair, 0.52);
  const drop = look.angular ? 'translate(0 8)' : 'translate(0 0)';
  const heavy = look.angular === true;
  const { brow: held } = GAZES[expression];
  return group(drop, brow(-1, held, colour, heavy), brow(1, held, colour, heavy));
};

/** Both eyes; `blink` closes them whatever the expression, for the animated pictures. */
export function eyes(look: Look, expression: Expression, id: string, blink: boolean): string {
  const { lids, iris } = GAZES[expression];
  const lash = mix(shade(look.hair, 0.72), '#2b1626', 0.55);
  const size = look.angular ? '0.96 0.84' : '1.06 1.06';
  const paint = [
    vertical(`${id}i`, -26, 27, [0, shade(look.eyes, 0.62)], [0.42, look.eyes], [1, tint(look.eyes, 0.5)]),
    vertical(`${id}k`, -28, 28, [0, shade(look.eyes, 0.86)], [1, shade(look.eyes, 0.5)]),
    vertical(`${id}g`, 2, 26, [0, tint(look.eyes, 0.5), 0], [1, tint(look.eyes, 0.8), 0.85]),
  ].join('');
  const one = (side: -1 | 1): string => {
    const lid = blink ? 'rest' : lids[side < 0 ? 0 : 1];
    const drawn = typeof lid === 'number' ? openEye(id, side, lid, lash, iris) : closedEye(lid, lash);
    return group(`translate(${side * 47} 24) scale(${side} 1) scale(${size})`, drawn);
  };
  return paint + one(-1) + one(1);
}
