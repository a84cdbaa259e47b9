/** Pictures in the style of the demo: any number of them, each of another combination. */
import { CAST, type CastKey } from '../../demo/cast.ts';
import type { Actor, Plan } from '../../demo/pictures.ts';
import { svgFrames } from '../../demo/render.ts';
import { sceneOf } from '../../demo/staging.ts';
import type { Expression, Framing, OutfitName, Place, Pose } from '../../demo/types.ts';
import { seededRandomInt } from '../../test/support/zukan/service.ts';

const cast = Object.keys(CAST) as CastKey[];
const moods: Expression[] = [
  ...(['smile', 'laugh', 'wink', 'surprised', 'sleepy', 'shy', 'determined', 'calm', 'smug'] as const),
];
const outfits: OutfitName[] = [
  ...(['sailor', 'blazer', 'kimono', 'hoodie', 'witch', 'maid', 'knight', 'casual', 'winter'] as const),
  'sundress',
];
const poses: Pose[] = ['down', 'wave', 'mug', 'book', 'bouquet', 'kitten', 'lantern'];
const places: Place[] = [
  ...(['sunset', 'night', 'aurora', 'sea', 'snow', 'blossoms', 'city', 'forest', 'meadow'] as const),
  ...([
    'autumn',
    'classroom',
    'library',
    'cafe',
    'festival',
    'rain',
    'dots',
    'speed',
    'hearts',
    'rays',
  ] as const),
];
const framings: Framing[] = ['bust', 'half', 'full'];
const shapes: Plan['shape'][] = ['portrait', 'landscape', 'square'];

export function demoLikeSvg(number: number): string {
  const randomInt = seededRandomInt(number);
  const pick = <T>(items: readonly T[]) => items[randomInt(items.length)] as T;
  const actor = (): Actor => [pick(cast), pick(moods), pick(outfits), pick(poses)];
  const plan: Plan = {
    actors: randomInt(5) === 0 ? [actor(), actor()] : [actor()],
    place: pick(places),
    shape: pick(shapes),
    framing: pick(framings),
    format: 'png',
  };
  return svgFrames(sceneOf(plan, number + 1), 'png')[0] as string;
}
