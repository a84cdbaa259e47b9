/** What is worn in the hair or tied at the collar: bows and flowers. */
import { mix, shade, tint } from './colour.ts';
import { ellipse, inked, stroke } from './svg.ts';

export function bow(x: number, y: number, size: number, colour: string): string {
  const line = shade(colour, 0.5);
  const wing = (s: number): string =>
    inked(
      `M${x} ${y}C${x + s * size * 0.5} ${y - size * 0.9} ${x + s * size * 1.3} ${y - size * 0.8} ${x + s * size * 1.2} ${y}C${x + s * size * 1.3} ${y + size * 0.7} ${x + s * size * 0.5} ${y + size * 0.6} ${x} ${y}Z`,
      colour,
      line,
      2.5,
    ) + stroke(`M${x + s * size * 0.25} ${y}L${x + s * size * 0.8} ${y - size * 0.2}`, line, 2, 0.6);
  return (
    wing(-1) +
    wing(1) +
    inked(
      `M${x - size * 0.24} ${y - size * 0.26}h${size * 0.48}v${size * 0.52}h${-size * 0.48}Z`,
      tint(colour, 0.25),
      line,
      2.5,
    )
  );
}

/** A flower pinned above one ear. */

export function hairFlower(colour: string): string {
  const petals = Array.from({ length: 5 }, (_, i) => {
    const angle = (i * 72 * Math.PI) / 180;
    return ellipse(
      -92 + Math.cos(angle) * 13,
      -74 + Math.sin(angle) * 13,
      11,
      11,
      i % 2 ? colour : mix(colour, '#ffffff', 0.15),
    );
  }).join('');
  return ellipse(-92, -74, 26, 26, shade(colour, 0.35), 0.25) + petals + ellipse(-92, -74, 7, 7, '#ffd86b');
}
