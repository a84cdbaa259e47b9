/** The artists of the demo with their style, and the biographies of its characters. */
import type { CastKey } from './cast.ts';
import type { Finish } from './scene.ts';

export interface Artist {
  name: string;
  url: string;
  /** Line width and finish distinguish the artists. */
  ink: number;
  finish: Finish;
}

const artist = (name: string, slug: string, ink: number, finish: Finish): Artist => ({
  name,
  url: `https://example.org/artists/${slug}`,
  ink,
  finish,
});

export const ARTISTS: readonly [Artist, ...Artist[]] = [
  artist('Paper Comet', 'paper-comet', 3, 'plain'),
  artist('Mochi Atelier', 'mochi-atelier', 3.6, 'frame'),
  artist('Hoshino Ink', 'hoshino-ink', 4, 'plain'),
  artist('Vela Marchetti', 'vela-marchetti', 2.6, 'vignette'),
  artist('Studio Tsuyu', 'studio-tsuyu', 3, 'cool'),
  artist('Kumo & Daughters', 'kumo-and-daughters', 3.4, 'warm'),
  artist('Old Lighthouse', 'old-lighthouse', 2.8, 'vignette'),
  artist('Plum Static', 'plum-static', 3.8, 'frame'),
  artist('Ninth Window', 'ninth-window', 2.4, 'plain'),
  artist('Sora Beck', 'sora-beck', 3.2, 'warm'),
];

interface Biography {
  description: string;
  source: string;
  gender: string;
  ages: number[];
  birth_date: string;
  nationality: string;
  occupations: string[];
}

const about = (
  description: string,
  source: string,
  gender: string,
  ages: number[],
  birth_date: string,
  nationality: string,
  ...occupations: string[]
): Biography => ({ description, source, gender, ages, birth_date, nationality, occupations });

export const BIOGRAPHIES: Record<CastKey, Biography> = {
  miu: about(
    'Opens the bakery before sunrise and naps in its window after lunch.',
    'Lantern Street Bakery',
    'female',
    [19],
    '2006-04-12',
    'Japanese',
    'baker',
    'waitress',
  ),
  koharu: about(
    'Carries letters over the mountain, nine parcels at a time.',
    'Nine Tails Post',
    'female',
    [22, 24],
    '2002-10-03',
    'Japanese',
    'courier',
  ),
  lunette: about(
    'Keeps the observatory clock and has never once been late.',
    'The Clock on the Moon',
    'female',
    [20],
    '2005-09-17',
    'French',
    'clockmaker',
    'astronomer',
  ),
  sylvaine: about(
    'Left the forest court to see where the rivers end.',
    'Where the Rivers End',
    'female',
    [18, 118],
    '1907-05-21',
    'Elven',
    'knight',
    'botanist',
  ),
  rurika: about(
    'Top of her class in stars, bottom of it in landing.',
    'Broomstick Semester',
    'female',
    [21],
    '2004-07-07',
    'Japanese',
    'witch',
    'student',
  ),
  aoi: about(
    'Runs the track club and, when pressed, everything else.',
    'Blue Lane Nine',
    'female',
    [18, 19],
    '2007-06-01',
    'Japanese',
    'sprinter',
    'student',
  ),
  hayato: about(
    'Fixes radios and listens to what they pick up after midnight.',
    'Blue Lane Nine',
    'male',
    [20],
    '2005-11-23',
    'Japanese',
    'repairman',
  ),
  ravn: about(
    'Guards a gate that nobody has used for a hundred years.',
    'The Gate of Elder Snow',
    'male',
    [27],
    '1998-01-30',
    'Danish',
    'knight',
  ),
  celestine: about(
    'On leave from the choir of the upper clouds.',
    'Cloud Nine Choir',
    'female',
    [23],
    '2002-12-24',
    'Belgian',
    'singer',
    'messenger',
  ),
  noctia: about(
    'Lost a bet and now owns the politest café in the underworld.',
    'Café Below',
    'female',
    [25, 325],
    '1700-10-31',
    'Infernal',
    'café owner',
    'archivist',
  ),
  yuzuki: about(
    'Has read every book in the library but one, and is saving it.',
    'The Last Unread Book',
    'female',
    [24],
    '2001-03-08',
    'Japanese',
    'librarian',
  ),
  tamao: about(
    'Night-shift guard at a museum where the paintings move.',
    'After Hours Gallery',
    'female',
    [21],
    '2004-02-22',
    'Japanese',
    'museum guard',
    'painter',
  ),
  mirelle: about(
    'Sails the ferry between the islands and sings at every pier.',
    'Ferry to Seven Piers',
    'female',
    [22],
    '2003-08-15',
    'Portuguese',
    'ferry pilot',
    'singer',
  ),
  ilvar: about(
    'Maps places that move. Rarely lost, often early.',
    'Where the Rivers End',
    'non-binary',
    [19, 90],
    '1935-02-11',
    'Elven',
    'cartographer',
  ),
  brisa: about(
    'Stunt rider with a spare fuse in every pocket.',
    'Festival of Sparks',
    'female',
    [26],
    '1999-05-05',
    'Mexican',
    'stunt rider',
    'pyrotechnician',
  ),
  adanna: about(
    'Designs kites large enough to carry her, and does.',
    'Kites over Lagos',
    'female',
    [23],
    '2002-06-19',
    'Nigerian',
    'engineer',
    'kite maker',
  ),
  ren: about(
    'Tells fortunes that come true for somebody else.',
    'Nine Tails Post',
    'male',
    [28],
    '1997-09-09',
    'Japanese',
    'fortune teller',
  ),
  ishani: about(
    'Translates letters from languages that no longer have speakers.',
    'The Last Unread Book',
    'female',
    [29],
    '1996-11-02',
    'Indian',
    'translator',
    'linguist',
  ),
};
