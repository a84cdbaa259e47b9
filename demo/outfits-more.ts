/** The rest of the wardrobe (armour, everyday and seasonal clothes), and the choice of an outfit by name. */
import { mix, shade, tint } from './colour.ts';
import { bow } from './ornaments.ts';
import { type Outfit, SIMPLE_OUTFITS } from './outfits.ts';
import { ellipse, fill, inked, star, stroke } from './svg.ts';
import type { OutfitName, Wear } from './types.ts';

function knight({ main, trim }: Wear): Outfit {
  const steel = '#cfd6e6';
  const line = '#4c5570';
  const pauldron = (s: number): string =>
    inked(
      `M${s * 58} 186C${s * 92} 168 ${s * 146} 190 ${s * 156} 248C${s * 130} 274 ${s * 96} 276 ${s * 78} 262C${s * 82} 232 ${s * 74} 208 ${s * 58} 186Z`,
      steel,
      line,
      3.5,
    ) +
    stroke(`M${s * 84} 202C${s * 110} 200 ${s * 130} 220 ${s * 138} 244`, '#ffffff', 6, 0.8) +
    stroke(`M${s * 82} 256C${s * 106} 264 ${s * 130} 260 ${s * 152} 244`, trim, 6);
  return {
    torso: steel,
    sleeve: shade(main, 0.1),
    cuff: steel,
    hat: '',
    behind: inked(
      'M-60 168C-130 190 -176 300 -200 640L200 640C176 300 130 190 60 168Z',
      main,
      shade(main, 0.6),
      3,
    ),
    detail:
      inked(
        'M-46 156C-50 190 -30 212 0 214C30 212 50 190 46 156C30 178 -30 178 -46 156Z',
        mix(steel, '#8890a8', 0.35),
        line,
        3,
      ) +
      stroke('M-66 250C-72 280 -66 306 -58 328M-46 246C-50 270 -46 290 -42 306', '#ffffff', 9, 0.85) +
      stroke('M0 236V470M-92 338C-40 368 40 368 92 338M-86 396C-40 420 40 420 86 396', line, 3, 0.7) +
      fill(star(0, 290, 30, 12, 4), trim) +
      ellipse(0, 290, 8, 8, main) +
      pauldron(-1) +
      pauldron(1) +
      inked('M-86 448C-40 462 40 462 86 448L92 480C40 492 -40 492 -92 480Z', '#7d5a44', '#3f2a28', 3),
    lower: { kind: 'skirt', colour: main, legs: steel, shoes: '#8a93ab' },
  };
}

function casual({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.5);
  return {
    torso: '#fffaf2',
    sleeve: main,
    cuff: shade(main, 0.12),
    hat: '',
    behind: '',
    detail:
      stroke('M-42 178C-24 210 24 210 42 178', '#c9b8b0', 4) +
      stroke('M-70 262H70M-70 296H70M-70 330H70M-70 364H70M-70 398H70M-72 432H72M-74 466H74', trim, 9, 0.55) +
      inked(
        'M-44 168C-80 186 -104 192 -112 206C-122 244 -102 300 -92 344C-84 390 -80 424 -86 456C-98 510 -112 560 -116 640L-62 640C-50 500 -40 300 -44 168ZM44 168C80 186 104 192 112 206C122 244 102 300 92 344C84 390 80 424 86 456C98 510 112 560 116 640L62 640C50 500 40 300 44 168Z',
        main,
        line,
        3,
      ) +
      stroke('M-50 190C-48 320 -56 500 -68 640M50 190C48 320 56 500 68 640', tint(main, 0.35), 5, 0.6),
    lower: { kind: 'trousers', colour: '#5a6a94', legs: '#fff1e6', shoes: '#a3705a' },
  };
}

function winter({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.55);
  const knit = 'M-58 196l10 10m12 -4l10 10m14 -8l10 10m16 -12l8 10m14 -16l8 10';
  return {
    torso: main,
    sleeve: main,
    cuff: '#fff5ea',
    hat: '',
    behind: '',
    detail:
      stroke('M0 240V640', line, 3) +
      [300, 360, 420, 480].map((y) => inked(`M-12 ${y - 6}h24v12h-24Z`, '#e9c99a', '#7d5a3c', 2.5)).join('') +
      inked('M24 226C44 224 62 230 70 240L88 372L40 380Z', shade(trim, 0.1), shade(trim, 0.55), 3) +
      stroke('M42 382v18M54 381v18M66 379v18M78 377v18', trim, 6) +
      stroke('M38 300l42 -6M40 326l42 -6', tint(trim, 0.6), 8) +
      inked(
        'M-72 152C-96 176 -92 214 -66 228C-24 250 36 248 72 226C96 210 94 172 72 152C40 182 -40 182 -72 152Z',
        trim,
        shade(trim, 0.55),
        3,
      ) +
      stroke('M-80 184C-40 216 40 216 82 182', shade(trim, 0.3), 3, 0.6) +
      stroke(knit, tint(trim, 0.45), 4, 0.8),
    lower: { kind: 'skirt', colour: shade(main, 0.12), legs: '#4a3a4c', shoes: '#7d5544' },
  };
}

function sundress({ main, trim }: Wear): Outfit {
  const line = shade(main, 0.45);
  return {
    torso: main,
    sleeve: tint(main, 0.25),
    cuff: trim,
    behind: '',
    detail:
      inked(
        'M-46 166C-60 190 -40 222 0 224C40 222 60 190 46 166C30 194 -30 194 -46 166Z',
        '#ffffff',
        line,
        3,
      ) +
      bow(0, 226, 24, trim) +
      [
        [-60, 300],
        [46, 284],
        [-20, 352],
        [64, 366],
        [-74, 520],
        [10, 540],
        [78, 560],
        [-30, 610],
      ]
        .map(([x = 0, y = 0]) => fill(star(x, y, 15, 8, 6), tint(main, 0.7)) + ellipse(x, y, 4, 4, '#ffd86b'))
        .join('') +
      inked('M-88 408C-40 420 40 420 88 408L86 438C40 450 -40 450 -86 438Z', trim, shade(trim, 0.5), 3),
    hat:
      inked(
        'M-214 -82C-160 -140 160 -140 214 -82C150 -96 60 -104 0 -104C-60 -104 -150 -96 -214 -82Z',
        '#f2d59a',
        '#94683c',
        3.5,
      ) +
      inked(
        'M-112 -112C-112 -196 -56 -214 0 -214C56 -214 112 -196 112 -112C60 -128 -60 -128 -112 -112Z',
        '#f6dfae',
        '#94683c',
        3.5,
      ) +
      fill(
        'M-113 -112C-113 -124 -112 -134 -110 -144C-60 -158 60 -158 110 -144C112 -134 113 -124 113 -112C60 -128 -60 -128 -113 -112Z',
        trim,
      ) +
      stroke('M-80 -170C-40 -182 40 -182 80 -170M-60 -192C-30 -198 30 -198 60 -192', '#c99f5c', 3, 0.6),
    lower: { kind: 'skirt', colour: main, legs: '#fff1e6', shoes: '#c98a5c' },
  };
}

const WARDROBE: Record<OutfitName, (wear: Wear) => Outfit> = {
  ...SIMPLE_OUTFITS,
  knight,
  casual,
  winter,
  sundress,
};

export const dress = (wear: Wear): Outfit => WARDROBE[wear.name](wear);
