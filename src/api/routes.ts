/** Every endpoint of the API, by its path below the prefix. */
import type { Endpoint, Route } from './endpoint.ts';
import {
  artistList,
  categoryList,
  characterList,
  singleArtist,
  singleCategory,
  singleCharacter,
} from './entries.ts';
import { imageFile, randomFile } from './image-files.ts';
import { allImages, artistImages, randomImages, similarImages, singleImage } from './images.ts';
import { serviceInformation, statistics, tokenInformation } from './info.ts';
import { latestImages } from './latest.ts';
import { search } from './search.ts';

const endpoints: Record<string, Endpoint> = {
  '/': serviceInformation(() => Object.keys(endpoints)),
  '/stats': statistics,
  '/token': tokenInformation,
  '/image/random': randomImages,
  '/image/random/file': randomFile,
  '/image/latest': latestImages,
  '/image': allImages,
  '/image/{id}': singleImage,
  '/image/{id}/file': imageFile,
  '/image/{id}/similar': similarImages,
  '/search': search,
  '/artist': artistList,
  '/artist/{id}': singleArtist,
  '/artist/{id}/images': artistImages,
  '/character': characterList,
  '/character/{id}': singleCharacter,
  '/category': categoryList,
  '/category/{id}': singleCategory,
};

export const routes: Route[] = Object.entries(endpoints).map(([path, endpoint]) => ({ path, ...endpoint }));
