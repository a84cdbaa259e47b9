/** Turns a plan into a scene: sizes, clothes, the tilt of heads and the artist's style. */
import { CAST, type Performer } from './cast.ts';
import { ARTISTS, type Artist } from './people.ts';
import type { Actor, Plan } from './pictures.ts';
import type { Scene } from './scene.ts';
import type { FigureSpec } from './types.ts';

/** Stills are large enough to look at; AVIF and GIF stay small because they are slow to encode. */
const SIZES = {
  still: { portrait: [720, 960], landscape: [1080, 720], square: [800, 800] },
  tall: { portrait: [640, 1000], landscape: [1200, 675], square: [720, 720] },
  avif: { portrait: [480, 640], landscape: [640, 448], square: [560, 560] },
  gif: { portrait: [300, 400], landscape: [400, 300], square: [340, 340] },
} as const;

function sizeOf({ format, shape }: Plan, number: number): readonly [number, number] {
  if (format === 'avif' || format === 'gif') return SIZES[format][shape];
  return SIZES[number % 3 === 0 ? 'tall' : 'still'][shape];
}

function figureOf(
  [who, expression, name, pose = 'down']: Actor,
  number: number,
  place: number,
  { ink }: Artist,
): FigureSpec {
  const { look, cloth }: Performer = CAST[who];
  const [main, trim] = cloth[(number + place) % 2 === 0 ? 0 : 1];
  const tilt = ((number * 7 + place * 5) % 11) - 5;
  return { look, expression, wear: { name, main, trim }, pose, tilt, ink };
}

/** The scene of a picture, by its number from 1. */
export function sceneOf(plan: Plan, number: number): Scene {
  const [width, height] = sizeOf(plan, number);
  const artist = artistOf(number);
  const figures = plan.actors.map((actor, i) => figureOf(actor, number, i, artist));
  return {
    width,
    height,
    figures,
    place: plan.place,
    framing: plan.framing,
    finish: artist.finish,
    seed: number,
  };
}

/** Seven is coprime to ten, so consecutive pictures come from different artists and all get their share. */
export const artistOf = (number: number): Artist => ARTISTS[(number * 7) % ARTISTS.length] ?? ARTISTS[0];
