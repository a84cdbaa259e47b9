/** The vocabulary for describing pictures: looks, expressions, outfits, poses, places and framings. */

export type BackHair =
  | 'bob'
  | 'long'
  | 'twintails'
  | 'ponytail'
  | 'buns'
  | 'messy'
  | 'curls'
  | 'braids'
  | 'sidetail'
  | 'cropped'
  | 'wavy';
export type Bangs = 'soft' | 'straight' | 'swept' | 'parted' | 'spiky' | 'veil';
export type Feature = 'cat' | 'fox' | 'bunny' | 'elf' | 'horns' | 'halo';

/** What stays the same about a character in all pictures. */
export interface Look {
  skin: string;
  hair: string;
  /** Colour of the hair's ends, for characters whose hair fades. */
  tips: string;
  eyes: string;
  /** Ribbons, hair pins and the like. */
  accent: string;
  back: BackHair;
  bangs: Bangs;
  feature?: Feature;
  glasses?: boolean;
  /** Narrower eyes, straighter brows and wider shoulders. */
  angular?: boolean;
}

export type Expression =
  | 'smile'
  | 'laugh'
  | 'wink'
  | 'surprised'
  | 'sleepy'
  | 'shy'
  | 'determined'
  | 'calm'
  | 'smug';

export type OutfitName =
  | 'sailor'
  | 'blazer'
  | 'kimono'
  | 'hoodie'
  | 'witch'
  | 'maid'
  | 'knight'
  | 'casual'
  | 'winter'
  | 'sundress';

export type Pose = 'down' | 'wave' | 'mug' | 'book' | 'bouquet' | 'kitten' | 'lantern';

export type Place =
  | 'sunset'
  | 'night'
  | 'aurora'
  | 'sea'
  | 'snow'
  | 'blossoms'
  | 'city'
  | 'forest'
  | 'meadow'
  | 'autumn'
  | 'classroom'
  | 'library'
  | 'cafe'
  | 'festival'
  | 'rain'
  | 'dots'
  | 'speed'
  | 'hearts'
  | 'rays';

/** How much of a figure is shown; `full` is drawn in small-bodied chibi proportions. */
export type Framing = 'bust' | 'half' | 'full';

export interface Wear {
  name: OutfitName;
  main: string;
  trim: string;
}

/** One figure in one picture. */
export interface FigureSpec {
  look: Look;
  expression: Expression;
  wear: Wear;
  pose: Pose;
  /** Degrees the head leans. */
  tilt: number;
  /** Line width, which depends on the artist. */
  ink: number;
}
