/** The demo catalogue: the lines of its file and the pictures they refer to. */
import { CAST, type CastKey } from './cast.ts';
import { categoriesOf, categoryList } from './categories.ts';
import { ARTISTS, BIOGRAPHIES } from './people.ts';
import { PLANS, type Plan, RATED, type Rating } from './pictures.ts';
import { uuidOf } from './random.ts';
import { renderScene } from './render.ts';
import { artistOf, sceneOf } from './staging.ts';
import type { Place } from './types.ts';

/** One picture of the demo: the record is a line of the catalogue file, `render` makes the bytes of `record.file`. */
export interface DemoPicture {
  record: {
    type: 'image';
    id: string;
    file: string;
    title: string;
    artist: string;
    source: { name: string; url: string };
    nsfw: Rating;
    categories: string[];
    characters: string[];
    createdAt: string;
  };
  render: () => Promise<Buffer>;
}

/** In the order of the catalogue file: albums name images. */
export interface DemoRecords {
  entries: object[];
  pictures: DemoPicture[];
  albums: { images: string[] }[];
}

const HOUR = 3_600_000;
const START = Date.UTC(2025, 0, 1, 9);
const createdAt = (hours: number): string => new Date(START + hours * HOUR).toISOString();

const where: Record<Place, string> = {
  sunset: 'at sunset',
  night: 'at night',
  aurora: 'under the aurora',
  sea: 'by the sea',
  snow: 'in the snow',
  blossoms: 'under the blossoms',
  city: 'in the city',
  forest: 'in the forest',
  meadow: 'in the meadow',
  autumn: 'in autumn',
  classroom: 'in the classroom',
  library: 'in the library',
  cafe: 'at the café',
  festival: 'at the festival',
  rain: 'on a rainy day',
  dots: 'on dots',
  speed: 'at full speed',
  hearts: 'among hearts',
  rays: 'in the sun',
};

/** Such as `Aoi and Hayato in the classroom`. */
function titleOf({ actors, place }: Plan): string {
  const names = actors.map(([who]) => CAST[who].name.split(' ', 1));
  return `${names.join(' and ')} ${where[place]}`;
}

function picture(plan: Plan, index: number): DemoPicture {
  const number = index + 1;
  const padded = String(number).padStart(4, '0');
  const file = `pictures/${padded}.${plan.format}`;
  const rating = RATED.get(number) ?? 'sfw';
  const [lead] = plan.actors[0];
  const source = { name: BIOGRAPHIES[lead].source, url: `https://example.org/works/${padded}` };
  return {
    record: {
      type: 'image',
      id: uuidOf('image', file),
      file,
      title: titleOf(plan),
      artist: artistOf(number).name,
      source,
      nsfw: rating,
      categories: categoriesOf(plan, rating),
      characters: plan.actors.map(([who]) => CAST[who].name),
      createdAt: createdAt(120 + index * 121.5),
    },
    render: () => renderScene(sceneOf(plan, number), plan.format),
  };
}

/** The places that an album shows, in this order. */
const ALBUM_PLACES: Place[] = ['autumn', 'rain', 'library'];

export function demoCatalogue(): DemoRecords {
  const keys = Object.keys(BIOGRAPHIES) as CastKey[];
  const lines = [
    ...categoryList().map((category) => ({
      type: 'category',
      id: uuidOf('category', category.name),
      ...category,
    })),
    ...ARTISTS.map(({ name, url }) => ({ type: 'artist', id: uuidOf('artist', name), name, url })),
    ...keys.map((key) => ({
      type: 'character',
      id: uuidOf('character', CAST[key].name),
      name: CAST[key].name,
      ...BIOGRAPHIES[key],
    })),
  ];
  const pictures = PLANS.map(picture);
  const isSafe = ({ record }: DemoPicture) => record.nsfw === 'sfw';
  const inAlbum = ALBUM_PLACES.flatMap((place) =>
    pictures.filter((picture, index) => PLANS[index]?.place === place && isSafe(picture)),
  );
  const album = {
    type: 'album',
    id: uuidOf('album', 'Autumn'),
    name: 'Autumn',
    description: 'Leaves, rain, and a good book.',
    createdAt: createdAt(lines.length),
    images: inAlbum.map(({ record }) => record.id),
  };
  return {
    entries: lines.map((line, i) => ({ ...line, createdAt: createdAt(i) })),
    pictures,
    albums: [album],
  };
}
