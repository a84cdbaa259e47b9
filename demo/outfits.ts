/** The wardrobe: colours for torso, sleeves and legs, and the details drawn over them. */
import { mix, shade, tint } from './colour.ts';
import { bow } from './ornaments.ts';
import { ellipse, fill, inked, rect, star, stroke } from './svg.ts';
import type { OutfitName, Wear } from './types.ts';

export interface Outfit {
  torso: string;
  sleeve: string;
  cuff: string;
  /** Wide sleeves that hang from a raised arm. */
  drape?: true;
  /** Drawn behind the neck: hoods, capes, collars. */
  behind: string;
  /** Drawn over the torso. */
  detail: string;
  /** Drawn over the hair. */
  hat: string;
  /** What a full figure wears below the waist. */
  lower: { kind: 'skirt' | 'trousers' | 'robe'; colour: string; legs: string; shoes: string };
}

const buttons = (colour: string, ...ys: number[]): string =>
  ys
    .map(
      (y) =>
        `<circle cx="0" cy="${y}" r="7" fill="${colour}" stroke="${shade(colour, 0.5)}" stroke-width="2.500"/>`,
    )
    .join('');

const shirtCollar = (line: string): string =>
  inked('M-36 164L-52 206L-8 214L0 198ZM36 164L52 206L8 214L0 198Z', '#ffffff', line, 3);

const OPEN_NECK = 'M-36 170L0 250L36 170C20 198 -20 198 -36 170Z';

function sailor({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.55);
  return {
    torso: '#fbfaff',
    sleeve: '#fbfaff',
    cuff: main,
    hat: '',
    behind: '',
    detail:
      inked(
        'M-38 166C-70 180 -98 190 -112 204C-100 236 -92 258 -84 276L0 272L-32 178ZM38 166C70 180 98 190 112 204C100 236 92 258 84 276L0 272L32 178Z',
        main,
        line,
        3,
      ) +
      stroke(
        'M-98 214C-92 232 -84 250 -76 262L-14 260M98 214C92 232 84 250 76 262L14 260',
        '#ffffff',
        4,
        0.9,
      ) +
      bow(0, 276, 40, trim) +
      fill('M-6 288L-30 356L-12 348L-2 366L2 288ZM6 288L30 356L12 348L2 366L-2 288Z', shade(trim, 0.12)),
    lower: { kind: 'skirt', colour: main, legs: '#ffffff', shoes: '#5d4048' },
  };
}

function blazer({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.6);
  return {
    torso: main,
    sleeve: main,
    cuff: shade(main, 0.15),
    hat: '',
    behind: '',
    detail:
      inked('M-40 168L0 340L40 168Z', '#ffffff', line, 2.5) +
      inked('M-12 214L12 214L20 320L0 344L-20 320Z', trim, shade(trim, 0.5), 3) +
      stroke('M-15 250L16 236M-17 284L18 268M-18 312L19 298', tint(trim, 0.45), 5) +
      inked('M-14 200L14 200L10 220L-10 220Z', shade(trim, 0.15), shade(trim, 0.5), 3) +
      shirtCollar('#7d7890') +
      inked(
        'M-42 170C-60 190 -72 212 -74 236L-52 246L-60 262L0 372L-42 210ZM42 170C60 190 72 212 74 236L52 246L60 262L0 372L42 210Z',
        tint(main, 0.12),
        line,
        3,
      ) +
      stroke('M0 372V640', line, 3) +
      inked('M52 300h34v24c0 14 -10 20 -17 24c-7 -4 -17 -10 -17 -24Z', '#f3d27a', '#8a6a2c', 2.5) +
      `<g transform="translate(14 0)">${buttons('#f3d27a', 402, 446)}</g>`,
    lower: { kind: 'skirt', colour: mix(main, trim, 0.45), legs: '#34304a', shoes: '#4b3038' },
  };
}

function kimono({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.55);
  const blossoms = [
    [-78, 250],
    [-112, 330],
    [84, 270],
    [124, 352],
    [-56, 560],
    [70, 600],
    [66, 330],
    [-90, 600],
  ]
    .map(([x = 0, y = 0]) => fill(star(x, y, 17, 9, 5), tint(main, 0.62), 0.9) + ellipse(x, y, 4, 4, trim))
    .join('');
  return {
    drape: true,
    torso: main,
    sleeve: main,
    cuff: tint(main, 0.6),
    hat: '',
    behind: '',
    detail:
      blossoms +
      fill('M-34 164L6 300L40 164C20 196 -20 196 -34 164Z', '#fff7f2') +
      inked('M40 164C30 214 -14 290 -84 372L-62 398C10 316 56 250 64 180Z', tint(trim, 0.55), line, 3) +
      inked('M-40 164C-30 214 14 290 84 372L62 398C-10 316 -56 250 -64 180Z', tint(trim, 0.7), line, 3) +
      inked('M-91 372C-40 382 40 382 91 372L86 470C40 480 -40 480 -86 470Z', trim, shade(trim, 0.5), 3) +
      stroke('M-88 416C-40 426 40 426 88 416', tint(trim, 0.65), 11) +
      ellipse(0, 423, 15, 12, mix(main, '#ffffff', 0.35)),
    lower: { kind: 'robe', colour: main, legs: '#ffffff', shoes: '#8d5f43' },
  };
}

function hoodie({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.55);
  return {
    torso: main,
    sleeve: main,
    cuff: trim,
    hat: '',
    behind: inked('M-104 206C-120 120 -60 92 0 92C60 92 120 120 104 206Z', shade(main, 0.22), line, 3),
    detail:
      inked(
        'M-62 176C-40 230 40 230 62 176C80 190 84 208 72 224C36 262 -36 262 -72 224C-84 208 -80 190 -62 176Z',
        tint(main, 0.12),
        line,
        3,
      ) +
      stroke('M-24 244C-26 270 -22 290 -26 314M24 244C26 270 22 290 26 306', tint(trim, 0.5), 5) +
      inked('M-56 436C-40 424 40 424 56 436L76 520C30 530 -30 530 -76 520Z', shade(main, 0.08), line, 3) +
      fill(star(0, 350, 34, 16, 5), trim),
    lower: { kind: 'trousers', colour: '#4a5578', legs: '#4a5578', shoes: trim },
  };
}

function witch({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.65);
  return {
    torso: main,
    sleeve: main,
    cuff: trim,
    behind: inked(
      'M-40 150C-120 170 -160 240 -190 640L190 640C160 240 120 170 40 150Z',
      shade(main, 0.4),
      line,
      3,
    ),
    detail:
      fill(OPEN_NECK, shade(main, 0.3)) +
      inked(
        'M-44 160C-70 176 -112 188 -126 212C-100 250 -40 262 0 262C40 262 100 250 126 212C112 188 70 176 44 160C30 196 -30 196 -44 160Z',
        shade(main, 0.25),
        line,
        3,
      ) +
      stroke('M-118 216C-92 244 -40 252 0 252C40 252 92 244 118 216', trim, 5) +
      fill(star(0, 250, 24, 11, 5), '#ffd86b') +
      rect(-88, 430, 176, 26, trim) +
      rect(-18, 424, 36, 38, '#ffd86b', 1, 6),
    hat:
      inked('M-206 -96C-150 -136 150 -136 206 -96C170 -58 -170 -58 -206 -96Z', main, line, 3.5) +
      inked(
        'M-112 -112C-84 -170 -64 -270 6 -318C40 -340 90 -330 106 -296C76 -300 62 -280 70 -244C82 -196 100 -150 112 -112C60 -92 -60 -92 -112 -112Z',
        main,
        line,
        3.5,
      ) +
      fill(
        'M-112 -112C-102 -130 -96 -146 -90 -162C-40 -144 40 -144 92 -162C98 -146 104 -130 112 -112C60 -92 -60 -92 -112 -112Z',
        trim,
      ) +
      fill(star(58, -124, 27, 12, 5), '#ffd86b') +
      stroke('M-62 -190C-44 -236 -24 -270 10 -296', tint(main, 0.35), 6, 0.5),
    lower: { kind: 'skirt', colour: main, legs: shade(trim, 0.35), shoes: '#3b2a3f' },
  };
}

function maid({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.6);
  const frill = Array.from({ length: 9 }, (_, i) => {
    const angle = ((-52 + i * 13) * Math.PI) / 180;
    return `<circle cx="${Math.round(Math.sin(angle) * 128)}" cy="${Math.round(-Math.cos(angle) * 158 - 4)}" r="19" fill="#ffffff" stroke="#8a86a0" stroke-width="2.500"/>`;
  }).join('');
  return {
    torso: main,
    sleeve: main,
    cuff: '#ffffff',
    behind: '',
    detail:
      inked(
        'M-66 190C-70 260 -60 330 -72 372L-78 640H78L72 372C60 330 70 260 66 190C56 196 46 200 40 204L34 300H-34L-40 204C-46 200 -56 196 -66 190Z',
        '#ffffff',
        '#8a86a0',
        3,
      ) +
      inked(
        'M-92 206C-100 190 -80 180 -66 190C-74 250 -70 300 -78 340C-104 320 -112 250 -92 206ZM92 206C100 190 80 180 66 190C74 250 70 300 78 340C104 320 112 250 92 206Z',
        '#fdfdff',
        '#8a86a0',
        3,
      ) +
      inked(
        'M-40 166C-50 186 -46 204 -20 212L0 202L20 212C46 204 50 186 40 166C24 190 -24 190 -40 166Z',
        '#ffffff',
        line,
        3,
      ) +
      bow(0, 214, 30, trim) +
      stroke('M-72 376C-30 388 30 388 72 376', '#8a86a0', 3) +
      stroke('M-60 600C-30 612 30 612 60 600', '#c7c2d8', 3),
    hat:
      frill +
      stroke('M-104 -98C-70 -168 70 -168 104 -98', trim, 12) +
      stroke('M-104 -98C-70 -168 70 -168 104 -98', tint(trim, 0.4), 3),
    lower: { kind: 'skirt', colour: main, legs: '#ffffff', shoes: '#3b2a3f' },
  };
}

export const SIMPLE_OUTFITS = { sailor, blazer, kimono, hoodie, witch, maid } satisfies Partial<
  Record<OutfitName, (wear: Wear) => Outfit>
>;
