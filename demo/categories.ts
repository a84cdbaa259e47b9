/** The demo's categories and which of them apply to a picture, by what it shows. */
import { CAST, type Performer } from './cast.ts';
import type { Plan, Rating } from './pictures.ts';
import type { Expression, Feature, OutfitName, Place, Pose } from './types.ts';

interface Sight {
  plan: Plan;
  rating: Rating;
}

interface Category {
  name: string;
  description: string;
  nsfw: boolean;
  shows: (sight: Sight) => boolean;
}

const feature =
  (kind: Feature, women = false) =>
  ({ plan }: Sight): boolean =>
    plan.actors.some(([who]) => {
      const look: (typeof CAST)[keyof typeof CAST]['look'] & { feature?: Feature; angular?: boolean } =
        CAST[who].look;
      return look.feature === kind && !(women && look.angular);
    });
const wearing =
  (...names: OutfitName[]) =>
  ({ plan }: Sight): boolean =>
    plan.actors.some(([, , wear]) => names.includes(wear));
const placed =
  (...names: Place[]) =>
  ({ plan }: Sight): boolean =>
    names.includes(plan.place);
const feeling =
  (...names: Expression[]) =>
  ({ plan }: Sight): boolean =>
    plan.actors.some(([, mood]) => names.includes(mood));
const holding =
  (...names: Pose[]) =>
  ({ plan }: Sight): boolean =>
    plan.actors.some(([, , , pose]) => pose !== undefined && names.includes(pose));

const bespectacled = ({ plan }: Sight): boolean =>
  plan.actors.some(([who]) => {
    const { look }: Performer = CAST[who];
    return look.glasses;
  });
const patterned = placed('dots', 'rays', 'hearts', 'speed');

/** The most specific ones first: a picture gets the first five that apply. */
const CATEGORIES: readonly Category[] = [
  {
    name: 'animated',
    description: 'Pictures that move.',
    nsfw: false,
    shows: ({ plan }) => plan.format === 'gif',
  },
  {
    name: 'spoiler',
    description: 'Gives away the end of a story. Hidden unless asked for.',
    nsfw: true,
    shows: ({ rating }) => rating === 'nsfw',
  },
  {
    name: 'duo',
    description: 'Two characters in one picture.',
    nsfw: false,
    shows: ({ plan }) => plan.actors.length === 2,
  },
  { name: 'catgirl', description: 'Girls with the ears of a cat.', nsfw: false, shows: feature('cat', true) },
  { name: 'foxgirl', description: 'Girls with the ears of a fox.', nsfw: false, shows: feature('fox', true) },
  {
    name: 'bunnygirl',
    description: 'Girls with the ears of a rabbit.',
    nsfw: false,
    shows: feature('bunny', true),
  },
  { name: 'elf', description: 'Long pointed ears.', nsfw: false, shows: feature('elf') },
  {
    name: 'glasses',
    description: 'Characters who wear glasses.',
    nsfw: false,
    shows: bespectacled,
  },
  { name: 'mecha', description: 'Giant robots. Nobody has drawn one yet.', nsfw: false, shows: () => false },
  { name: 'kimono', description: 'Kimono and yukata.', nsfw: false, shows: wearing('kimono') },
  {
    name: 'uniform',
    description: 'Sailor collars and blazers.',
    nsfw: false,
    shows: wearing('sailor', 'blazer'),
  },
  { name: 'maid', description: 'Frills, aprons and headdresses.', nsfw: false, shows: wearing('maid') },
  { name: 'witch', description: 'Pointed hats and star brooches.', nsfw: false, shows: wearing('witch') },
  { name: 'knight', description: 'Plate armour and capes.', nsfw: false, shows: wearing('knight') },
  {
    name: 'night',
    description: 'Under the stars.',
    nsfw: false,
    shows: placed('night', 'aurora', 'city', 'festival'),
  },
  { name: 'sunset', description: 'The sun close to the horizon.', nsfw: false, shows: placed('sunset') },
  {
    name: 'winter',
    description: 'Snow outside or a scarf around the neck.',
    nsfw: false,
    shows: (sight) => placed('snow')(sight) || wearing('winter')(sight),
  },
  { name: 'sea', description: 'The beach and the horizon.', nsfw: false, shows: placed('sea') },
  { name: 'sakura', description: 'Cherry blossoms.', nsfw: false, shows: placed('blossoms') },
  {
    name: 'nature',
    description: 'Forests, meadows and autumn leaves.',
    nsfw: false,
    shows: placed('forest', 'meadow', 'autumn'),
  },
  { name: 'rain', description: 'Grey skies and falling drops.', nsfw: false, shows: placed('rain') },
  {
    name: 'cosy',
    description: 'A warm drink, a good book, a small cat.',
    nsfw: false,
    shows: (sight) => placed('cafe', 'library')(sight) || holding('mug', 'book', 'kitten')(sight),
  },
  {
    name: 'chibi',
    description: 'Full figures in small proportions.',
    nsfw: false,
    shows: ({ plan }) => plan.framing === 'full',
  },
  { name: 'smile', description: 'Somebody is happy.', nsfw: false, shows: feeling('smile', 'laugh', 'wink') },
  { name: 'blush', description: 'Rosy cheeks and shy looks.', nsfw: false, shows: feeling('shy') },
  {
    name: 'portrait',
    description: 'Head and shoulders.',
    nsfw: false,
    shows: ({ plan }) => plan.framing === 'bust',
  },
  {
    name: 'pattern',
    description: 'Dots, rays, hearts and speed lines behind the figure.',
    nsfw: false,
    shows: patterned,
  },
  {
    name: 'scenery',
    description: 'Wide pictures with a place around the figure.',
    nsfw: false,
    shows: (sight) => sight.plan.shape === 'landscape' && !patterned(sight),
  },
];

const MOST = 5;

export const categoryList = (): readonly Omit<Category, 'shows'>[] =>
  CATEGORIES.map(({ name, description, nsfw }) => ({ name, description, nsfw }));

export const categoriesOf = (plan: Plan, rating: Rating): string[] =>
  CATEGORIES.filter(({ shows }) => shows({ plan, rating }))
    .map(({ name }) => name)
    .slice(0, MOST);
