/** The composition of a picture: where figures stand on the canvas, and the artist's finish over it. */
import { glow, wash } from './backdrop.ts';
import { figure } from './figure.ts';
import { paintPlace } from './places-pattern.ts';
import { seeded } from './random.ts';
import { group, num, radial, rect } from './svg.ts';
import type { FigureSpec, Framing, Place } from './types.ts';

/** What an artist does to every picture after it is drawn. */
export type Finish = 'plain' | 'frame' | 'vignette' | 'warm' | 'cool';

export interface Scene {
  width: number;
  height: number;
  figures: readonly FigureSpec[];
  place: Place;
  framing: Framing;
  finish: Finish;
  seed: number;
}

/** A frame of an animated picture: its position in the loop and whether the eyes are closed. */
interface Frame {
  phase: number;
  blink: boolean;
}

/** How far below the head's centre each framing reaches, and the width it needs for one figure. */
const REACH: Record<Framing, readonly [below: number, width: number]> = {
  bust: [320, 390],
  half: [510, 440],
  full: [478, 430],
};

/** Room for what rises above the crown. */
function headroom({ look, wear }: FigureSpec): number {
  if (wear.name === 'witch' || look.feature === 'bunny') return 350;
  if (look.feature === 'fox') return 280;
  if (look.feature || wear.name === 'sundress' || look.back === 'buns') return 245;
  return 210;
}

function finishing(finish: Finish, w: number, h: number): string {
  const canvas = { w, h, rng: seeded(0), phase: 0 };
  switch (finish) {
    case 'frame':
      return `<rect x="${num(w * 0.02)}" y="${num(w * 0.02)}" width="${num(w * 0.96)}" height="${num(h - w * 0.04)}" rx="${num(w * 0.02)}" fill="none" stroke="#ffffff" stroke-opacity="0.85" stroke-width="${num(w * 0.008)}"/>`;
    case 'vignette':
      return (
        radial('edge', [0.62, '#2a1a40', 0], [1, '#2a1a40', 0.38]) +
        rect(-w * 0.2, -h * 0.2, w * 1.4, h * 1.4, 'url(#edge)')
      );
    case 'warm':
      return wash(canvas, '#ffb27a', 0.05);
    case 'cool':
      return wash(canvas, '#7aa8ff', 0.04);
    case 'plain':
      return '';
  }
}

/** Where each figure's head goes: side by side for two, off-centre for one in a wide picture. */
function stations(count: number, wide: boolean, lean: number): readonly number[] {
  if (count > 1) return [0.31, 0.69];
  return [wide ? 0.5 + lean * 0.14 : 0.5];
}

export function sceneSvg(scene: Scene, { phase, blink }: Frame): string {
  const { width: w, height: h, figures, framing, seed } = scene;
  const backdrop = paintPlace(scene.place, { w, h, rng: seeded(seed), phase });
  const [reach, wanted] = REACH[framing];
  // A wide picture crops a half figure tighter, or the face would be lost in the scenery.
  const below = framing === 'half' && w > h ? 430 : reach;
  const above = Math.max(...figures.map(headroom));
  const scale = Math.min(h / (above + below), w / (wanted * (figures.length > 1 ? 1.75 : 1)));
  // Spare height goes above the heads, except for full figures, which must keep their feet near the ground.
  const top = (h - (above + below) * scale) * (framing === 'full' ? 0.85 : 0.7);
  const y = top + above * scale;
  const lean = [-1, 0, 1][seed % 3] ?? 0;
  const places = stations(figures.length, w > h, lean);
  const drawn = figures.map((spec, i) => {
    const x = w * (places[i] ?? 0.5);
    return (
      glow(`aura${i}`, x, y, 300 * scale, '#ffffff', 0.5) +
      group(
        `translate(${num(x)} ${num(y)}) scale(${Math.round(scale * 1000) / 1000})`,
        figure(spec, framing, `f${i}`, blink),
      )
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">${backdrop.back}${drawn.join('')}${backdrop.front}${finishing(scene.finish, w, h)}</svg>`;
}
