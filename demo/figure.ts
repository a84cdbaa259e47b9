/** The order in which the parts of a figure are laid over each other. */
import { backHair } from './back-hair.ts';
import { fringePath, frontHair } from './bangs.ts';
import { body } from './body.ts';
import { chibiBody } from './chibi.ts';
import { deepen, mix, shade, tint } from './colour.ts';
import { browsOf, eyes } from './eyes.ts';
import { face, glasses, headShape, skinShade } from './face.ts';
import { halo, headFeature, tail } from './features.ts';
import { hairFlower } from './ornaments.ts';
import { dress } from './outfits-more.ts';
import { clipped, fill, group, vertical } from './svg.ts';
import type { FigureSpec, Framing, Look, Wear } from './types.ts';

/** A straw hat has no holes for ears; a witch's is tall enough to sit between them. */
const hatFits = (look: Look, wear: Wear): boolean =>
  wear.name !== 'sundress' || look.feature === undefined || look.feature === 'elf';

/** A figure around its head at the origin; `id` keeps the gradients of two figures in one picture apart. */
export function figure(spec: FigureSpec, framing: Framing, id: string, blink: boolean): string {
  const { look, expression, wear, pose, tilt, ink } = spec;
  const outfit = dress(wear);
  const hair = backHair(look, id, ink);
  const lean = (...content: string[]): string => group(`rotate(${tilt} 0 130)`, ...content);
  const paints =
    vertical(
      `${id}h`,
      -170,
      200,
      [0, tint(look.hair, 0.14)],
      [0.35, look.hair],
      [0.62, mix(look.hair, look.tips, 0.35)],
      [1, look.tips],
    ) +
    vertical(
      `${id}d`,
      -170,
      400,
      [0, deepen(look.hair, 0.14)],
      [0.4, deepen(look.hair, 0.2)],
      [1, look.tips],
    );
  const full = framing === 'full';
  return [
    paints,
    // A bust ends above the tail, which would only show as a stray curve at the edge.
    framing === 'half' ? tail(look, ink) : '',
    full ? group('translate(0 60) scale(0.62)', tail(look, ink)) : '',
    lean(full ? group('scale(1 0.86)', hair.behind) : hair.behind),
    full
      ? chibiBody(look, outfit, pose, id, ink)
      : group('translate(0 -20)', body(look, outfit, pose, id, ink)),
    lean(
      headFeature(look, ink),
      face(look, expression, id, ink),
      clipped(
        `${id}s`,
        headShape(look),
        group('translate(0 11)', fill(fringePath(look), skinShade(look), 0.75)),
      ),
      eyes(look, expression, id, blink),
      look.glasses ? glasses(shade(look.accent, 0.35)) : '',
      full ? group('scale(1 0.8)', hair.over) : hair.over,
      frontHair(look, id, ink),
      browsOf(look, expression),
      wear.name === 'kimono' && !look.angular ? hairFlower(look.accent) : '',
      hatFits(look, wear) ? outfit.hat : '',
      halo(look),
    ),
  ].join('');
}
