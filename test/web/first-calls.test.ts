// depth: all
/** The first calls of every view of the gallery. */
import { describe, test } from 'node:test';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { albumId, artistId, characterId, seaCategoryId } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { checkFirstCalls } from './first-calls.ts';
import { ALL_RATINGS } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

describe('the first calls', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery();

  test('of every view start before the main script is there, and none is repeated', async () => {
    const images = 'include=artist%2Cthumbnails%2Cdetails';
    const random = (filter: string) => `/image/random?${filter}&limit=25&${images}&seed=…`;
    await checkFirstCalls(open, {
      '/?order=newest': [`/image/latest?${ALL_RATINGS}&limit=25&${images}`],
      '/?categories=sea,city&nsfw=sfw': [random('categories=sea%2Ccity&nsfw=sfw')],
      '/?categories=sea,city&match=any&exclude=moon': [
        random(`categories=sea%2Ccity&match=any&exclude=moon&${ALL_RATINGS}`),
      ],
      [`/?artist=${artistId}`]: [`/artist/${artistId}/images?${ALL_RATINGS}&limit=25&offset=0&${images}`],
      [`/?album=${albumId}`]: [
        `/album/${albumId}`,
        `/album/${albumId}/images?${ALL_RATINGS}&limit=25&offset=0&${images}`,
      ],
      '/?in=albums': ['/album?limit=25&offset=0&include=count%2Ccover'],
      [`/?character=${characterId}&nsfw=sfw`]: [random(`character=${characterId}&nsfw=sfw`)],
      [`/?category=${seaCategoryId}`]: [
        `/category/${seaCategoryId}`,
        random(`categories=sea&${ALL_RATINGS}`),
      ],
      [`/?artists=${artistId}&size=hd&animated=false&orientation=portrait`]: [
        random(
          `artist=${artistId}&${ALL_RATINGS}&orientation=portrait&animated=false&minWidth=1080&minHeight=1920`,
        ),
      ],
      '/?search=a': [`/search?q=a&${images}`],
      '/?in=characters&search=a_&sort=images': [
        '/character?limit=25&offset=0&include=count%2Ccover&search=a_&sort=images',
      ],
    });
  });
});
