/** The small body of full-figure pictures, built from the same outfits as the large one. */
import { shade } from './colour.ts';
import { skinLine } from './face.ts';
import type { Outfit } from './outfits.ts';
import { clipped, ellipse, group, inked, tube } from './svg.ts';
import type { Look, Pose } from './types.ts';

const TORSO = 'M-34 112C-52 128 -62 160 -62 200L-66 262C-30 276 30 276 66 262L62 200C62 160 52 128 34 112Z';

const LOWER: Record<Outfit['lower']['kind'], string> = {
  skirt:
    'M-62 238C-84 270 -106 306 -112 336C-60 362 60 362 112 336C106 306 84 270 62 238C30 250 -30 250 -62 238Z',
  trousers: 'M-64 240L-66 388H-8L0 300L8 388H66L64 240C30 252 -30 252 -64 240Z',
  robe: 'M-64 236C-72 290 -74 350 -72 398C-30 412 30 412 72 398C74 350 72 290 64 236C30 248 -30 248 -64 236Z',
};

function leg(side: number, { legs, shoes }: Outfit['lower'], ink: number): string {
  return (
    tube(`M${side * 30} 300V420`, legs, shade(legs, 0.5), 38, ink) +
    inked(
      `M${side * 30 - 26} 418C${side * 30 - 28} 446 ${side * 30 - 34 + side * 4} 452 ${side * 30} 454C${side * 30 + 34 + side * 4} 452 ${side * 30 + 28} 446 ${side * 30 + 26} 418Z`,
      shoes,
      shade(shoes, 0.5),
      ink,
    )
  );
}

function arm(side: number, raised: boolean, { sleeve, cuff }: Outfit, look: Look, ink: number): string {
  const d = raised ? 'M48 140C82 138 112 122 128 92' : 'M48 142C76 168 92 196 102 232';
  const [x, y] = raised ? [136, 70] : [110, 258];
  const end = raised ? 'M122 104L126 96' : 'M98 222L101 230';
  return group(
    `scale(${side} 1)`,
    `<circle cx="${x}" cy="${y}" r="19" fill="${look.skin}" stroke="${skinLine(look)}" stroke-width="${ink}"/>`,
    tube(d, sleeve, shade(sleeve, 0.55), 38, ink),
    tube(end, cuff, shade(cuff, 0.5), 38, ink),
  );
}

export function chibiBody(look: Look, outfit: Outfit, pose: Pose, id: string, ink: number): string {
  const { lower } = outfit;
  const line = shade(outfit.torso, 0.55);
  const pleats = Array.from({ length: 5 }, (_, i) => `M${-36 + i * 18} 262L${-72 + i * 36} 346`).join('');
  return [
    ellipse(0, 456, 120, 16, '#2a1a40', 0.22),
    group('translate(0 30) scale(0.62)', outfit.behind),
    leg(-1, lower, ink),
    leg(1, lower, ink),
    inked(LOWER[lower.kind], lower.colour, shade(lower.colour, 0.55), ink),
    lower.kind === 'skirt'
      ? `<path d="${pleats}" stroke="${shade(lower.colour, 0.35)}" stroke-width="${ink}" stroke-opacity="0.6"/>`
      : '',
    arm(-1, false, outfit, look, ink),
    arm(1, pose === 'wave', outfit, look, ink),
    inked(TORSO, outfit.torso, line, ink),
    clipped(`${id}c`, TORSO, group('translate(0 12) scale(0.62)', outfit.detail)),
    inked(TORSO, 'none', line, ink),
  ].join('');
}
