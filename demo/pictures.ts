/** The list of demo pictures: who is shown, how, where and in which file format. Their order gives their numbers. */
import type { CastKey } from './cast.ts';
import type { Expression, Framing, OutfitName, Place, Pose } from './types.ts';

export type Actor = readonly [who: CastKey, mood: Expression, wear: OutfitName, pose?: Pose];
type Shape = 'portrait' | 'landscape' | 'square';
export type Format = 'webp' | 'jpg' | 'png' | 'avif' | 'gif';
export type Rating = 'sfw' | 'questionable' | 'nsfw';

export interface Plan {
  actors: readonly [Actor, ...Actor[]];
  place: Place;
  shape: Shape;
  framing: Framing;
  format: Format;
}

const one = (actor: Actor, place: Place, shape: Shape, framing: Framing, format: Format): Plan => ({
  actors: [actor],
  place,
  shape,
  framing,
  format,
});

const two = (left: Actor, right: Actor, place: Place, framing: Framing, format: Format): Plan => ({
  actors: [left, right],
  place,
  shape: 'landscape',
  framing,
  format,
});

export const PLANS: readonly Plan[] = [
  one(['miu', 'smile', 'sailor'], 'blossoms', 'portrait', 'bust', 'webp'),
  one(['koharu', 'wink', 'kimono', 'lantern'], 'festival', 'portrait', 'half', 'webp'),
  one(['lunette', 'surprised', 'casual'], 'hearts', 'square', 'bust', 'jpg'),
  two(['aoi', 'laugh', 'blazer', 'wave'], ['hayato', 'smile', 'blazer'], 'classroom', 'half', 'webp'),
  one(['sylvaine', 'calm', 'casual', 'bouquet'], 'forest', 'portrait', 'half', 'jpg'),
  one(['rurika', 'smug', 'witch'], 'night', 'portrait', 'bust', 'webp'),
  one(['noctia', 'calm', 'maid', 'mug'], 'cafe', 'portrait', 'half', 'png'),
  one(['celestine', 'smile', 'sundress'], 'sunset', 'square', 'bust', 'webp'),
  one(['yuzuki', 'shy', 'casual', 'book'], 'library', 'portrait', 'half', 'webp'),
  one(['tamao', 'smile', 'hoodie'], 'night', 'square', 'bust', 'gif'),
  one(['ravn', 'determined', 'knight'], 'sunset', 'portrait', 'bust', 'jpg'),
  one(['mirelle', 'laugh', 'sundress', 'wave'], 'sea', 'landscape', 'half', 'webp'),
  one(['adanna', 'smile', 'kimono'], 'autumn', 'portrait', 'bust', 'webp'),
  one(['ilvar', 'calm', 'winter'], 'aurora', 'landscape', 'bust', 'avif'),
  one(['brisa', 'laugh', 'casual', 'wave'], 'rays', 'square', 'full', 'jpg'),
  one(['ren', 'smug', 'kimono'], 'blossoms', 'portrait', 'bust', 'webp'),
  one(['ishani', 'smile', 'winter', 'mug'], 'snow', 'portrait', 'half', 'webp'),
  two(['miu', 'wink', 'maid'], ['tamao', 'smug', 'maid'], 'cafe', 'bust', 'jpg'),
  one(['aoi', 'determined', 'sailor'], 'speed', 'square', 'bust', 'png'),
  one(['lunette', 'smile', 'kimono'], 'blossoms', 'portrait', 'bust', 'gif'),
  one(['hayato', 'sleepy', 'hoodie', 'mug'], 'rain', 'landscape', 'half', 'webp'),
  one(['koharu', 'smile', 'winter'], 'snow', 'square', 'bust', 'jpg'),
  one(['rurika', 'laugh', 'witch', 'wave'], 'dots', 'portrait', 'full', 'webp'),
  one(['sylvaine', 'determined', 'knight'], 'forest', 'landscape', 'half', 'jpg'),
  one(['noctia', 'shy', 'kimono', 'lantern'], 'festival', 'portrait', 'half', 'avif'),
  one(['celestine', 'laugh', 'sailor'], 'meadow', 'portrait', 'full', 'webp'),
  one(['yuzuki', 'surprised', 'blazer'], 'classroom', 'landscape', 'bust', 'webp'),
  one(['tamao', 'wink', 'sundress', 'kitten'], 'dots', 'square', 'half', 'jpg'),
  two(['ravn', 'calm', 'knight'], ['sylvaine', 'smile', 'knight'], 'sunset', 'bust', 'webp'),
  one(['mirelle', 'wink', 'maid'], 'hearts', 'portrait', 'bust', 'jpg'),
  one(['adanna', 'laugh', 'hoodie', 'wave'], 'sunset', 'landscape', 'half', 'webp'),
  one(['ilvar', 'smile', 'witch', 'book'], 'library', 'square', 'half', 'webp'),
  one(['brisa', 'wink', 'sundress'], 'sea', 'portrait', 'bust', 'jpg'),
  one(['ren', 'calm', 'winter'], 'snow', 'landscape', 'bust', 'gif'),
  one(['ishani', 'determined', 'blazer', 'book'], 'library', 'portrait', 'half', 'jpg'),
  one(['miu', 'sleepy', 'hoodie', 'kitten'], 'rain', 'square', 'half', 'webp'),
  one(['koharu', 'smile', 'sailor', 'wave'], 'sunset', 'portrait', 'half', 'avif'),
  two(['lunette', 'laugh', 'winter'], ['aoi', 'smile', 'winter', 'wave'], 'snow', 'full', 'webp'),
  one(['hayato', 'determined', 'knight'], 'speed', 'portrait', 'bust', 'jpg'),
  one(['rurika', 'calm', 'casual', 'mug'], 'cafe', 'landscape', 'half', 'webp'),
  one(['sylvaine', 'smile', 'sundress', 'bouquet'], 'meadow', 'square', 'half', 'webp'),
  one(['noctia', 'smug', 'witch'], 'city', 'portrait', 'bust', 'jpg'),
  one(['celestine', 'sleepy', 'casual'], 'aurora', 'square', 'bust', 'avif'),
  one(['yuzuki', 'smile', 'kimono'], 'autumn', 'landscape', 'bust', 'jpg'),
  one(['tamao', 'surprised', 'sailor', 'wave'], 'rays', 'portrait', 'full', 'webp'),
  two(['koharu', 'laugh', 'kimono'], ['ren', 'smile', 'kimono'], 'autumn', 'half', 'webp'),
  one(['mirelle', 'smile', 'blazer'], 'blossoms', 'square', 'bust', 'webp'),
  one(['adanna', 'calm', 'winter', 'mug'], 'aurora', 'portrait', 'half', 'png'),
  one(['ilvar', 'surprised', 'hoodie'], 'city', 'square', 'bust', 'gif'),
  one(['brisa', 'determined', 'knight', 'wave'], 'meadow', 'portrait', 'full', 'jpg'),
  one(['ravn', 'smile', 'winter', 'kitten'], 'snow', 'landscape', 'half', 'webp'),
  one(['ishani', 'laugh', 'kimono'], 'festival', 'square', 'bust', 'webp'),
  one(['miu', 'laugh', 'kimono', 'wave'], 'festival', 'portrait', 'half', 'jpg'),
  one(['lunette', 'shy', 'maid', 'bouquet'], 'dots', 'portrait', 'half', 'webp'),
  two(['rurika', 'wink', 'witch'], ['noctia', 'calm', 'witch'], 'night', 'half', 'jpg'),
  one(['aoi', 'smile', 'casual'], 'sea', 'landscape', 'bust', 'avif'),
  one(['hayato', 'laugh', 'casual', 'wave'], 'meadow', 'square', 'full', 'webp'),
  one(['tamao', 'calm', 'kimono', 'lantern'], 'night', 'portrait', 'half', 'webp'),
  one(['celestine', 'shy', 'maid'], 'hearts', 'square', 'bust', 'png'),
  one(['koharu', 'surprised', 'casual'], 'autumn', 'portrait', 'bust', 'gif'),
  one(['ren', 'determined', 'blazer'], 'city', 'portrait', 'bust', 'webp'),
  two(['brisa', 'smile', 'sundress'], ['mirelle', 'laugh', 'sundress'], 'sea', 'bust', 'webp'),
  one(['sylvaine', 'wink', 'witch', 'wave'], 'forest', 'portrait', 'full', 'jpg'),
  one(['adanna', 'surprised', 'sailor'], 'classroom', 'square', 'bust', 'webp'),
  one(['yuzuki', 'calm', 'winter', 'book'], 'sunset', 'landscape', 'half', 'avif'),
  two(['ishani', 'smile', 'hoodie'], ['ilvar', 'wink', 'hoodie', 'wave'], 'city', 'full', 'webp'),
  one(['lunette', 'smile', 'witch'], 'night', 'portrait', 'bust', 'jpg'),
  two(['miu', 'smile', 'winter'], ['koharu', 'wink', 'winter'], 'aurora', 'bust', 'webp'),
];

/** By picture number. The ratings only serve to try filters: all pictures are harmless. */
export const RATED: ReadonlyMap<number, Exclude<Rating, 'sfw'>> = new Map([
  [7, 'questionable'],
  [18, 'questionable'],
  [25, 'nsfw'],
  [30, 'questionable'],
  [36, 'questionable'],
  [42, 'nsfw'],
  [49, 'nsfw'],
  [55, 'nsfw'],
  [58, 'questionable'],
  [66, 'questionable'],
  [67, 'nsfw'],
]);
