/** Colour arithmetic. All shades of a picture are mixed from a few base colours, which keeps its palette consistent. */

const SHADOW = '#2a1a40';
const LIGHT = '#fff6ee';

function channels(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function mix(from: string, to: string, amount: number): string {
  const [r, g, b] = channels(from);
  const [r2, g2, b2] = channels(to);
  const blend = (a: number, c: number): number => Math.round(a + (c - a) * amount);
  return `#${((blend(r, r2) << 16) | (blend(g, g2) << 8) | blend(b, b2)).toString(16).padStart(6, '0')}`;
}

/** Darker towards a violet rather than black: shadows stay colourful. */
export const shade = (colour: string, amount: number): string => mix(colour, SHADOW, amount);

export const tint = (colour: string, amount: number): string => mix(colour, LIGHT, amount);

/** A darker hair colour that keeps its hue: blond deepens to gold instead of going olive. */
export function deepen(colour: string, amount: number): string {
  const [r, g, b] = channels(colour);
  const cut = (value: number, share: number): number => Math.round(value * (1 - amount * share));
  return `#${((cut(r, 0.55) << 16) | (cut(g, 0.95) << 8) | cut(b, 0.7)).toString(16).padStart(6, '0')}`;
}

/** The colour as it looks where light catches it: brighter at the same hue before it goes towards white. */
export function gleam(colour: string): string {
  const [r, g, b] = channels(colour);
  const gain = Math.min(255 / Math.max(r, g, b), 1.9);
  const lift = (value: number): number => Math.round(value * gain);
  return mix(
    `#${((lift(r) << 16) | (lift(g) << 8) | lift(b)).toString(16).padStart(6, '0')}`,
    '#ffffff',
    0.4,
  );
}
