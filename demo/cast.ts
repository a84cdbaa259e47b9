/** The looks of the cast: what each character keeps from picture to picture, and the clothes they like. */
import type { Look } from './types.ts';

export interface Performer {
  name: string;
  look: Look;
  /** Two cloth palettes (main and trim) that go with the hair. */
  cloth: readonly [readonly [string, string], readonly [string, string]];
}

const FAIR = '#fee6d8';
const WARM = '#fbd9c0';
const TAN = '#e8b48c';
const BROWN = '#b97d58';
const DEEP = '#8f5c42';

const dye = (skin: string, hair: string, tips: string, eyes: string, accent: string) => ({
  skin,
  hair,
  tips,
  eyes,
  accent,
});

export const CAST = {
  miu: {
    name: 'Miu Tanehara',
    look: {
      ...dye(FAIR, '#f2a0b8', '#f6c0cc', '#e09a2f', '#5fb8c9'),
      back: 'bob',
      bangs: 'soft',
      feature: 'cat',
    },
    cloth: [
      ['#3f5f9a', '#e8596f'],
      ['#7cc4b4', '#f2a65a'],
    ],
  },
  koharu: {
    name: 'Koharu Inagi',
    look: {
      ...dye(FAIR, '#e8924a', '#f6c98a', '#4f9a5a', '#c8404f'),
      back: 'long',
      bangs: 'swept',
      feature: 'fox',
    },
    cloth: [
      ['#b8394a', '#f0b84a'],
      ['#2f6b6a', '#f2a26a'],
    ],
  },
  lunette: {
    name: 'Lunette Orrel',
    look: {
      ...dye(FAIR, '#e9e2f6', '#c6b6f0', '#d9486f', '#7a6ad0'),
      back: 'twintails',
      bangs: 'soft',
      feature: 'bunny',
    },
    cloth: [
      ['#6a62b8', '#f2b0c8'],
      ['#e48aa8', '#7a6ad0'],
    ],
  },
  sylvaine: {
    name: 'Sylvaine Dorr',
    look: {
      ...dye(FAIR, '#f6d77c', '#fbeab0', '#3fa878', '#4f9a6a'),
      back: 'wavy',
      bangs: 'parted',
      feature: 'elf',
    },
    cloth: [
      ['#4a8a68', '#f2d28a'],
      ['#6a7fc0', '#f6c8d8'],
    ],
  },
  rurika: {
    name: 'Rurika Amagase',
    look: { ...dye(FAIR, '#8a68cc', '#c48ae0', '#c94fa8', '#f2c14e'), back: 'curls', bangs: 'swept' },
    cloth: [
      ['#4a3a7c', '#f28a5a'],
      ['#3f4f8f', '#e88ac0'],
    ],
  },
  aoi: {
    name: 'Aoi Setomura',
    look: { ...dye(FAIR, '#5f8fdc', '#8fc4f2', '#3a62c4', '#f2f2fa'), back: 'ponytail', bangs: 'soft' },
    cloth: [
      ['#34487c', '#5fb4e0'],
      ['#e8eef8', '#4a7fd0'],
    ],
  },
  hayato: {
    name: 'Hayato Minegishi',
    look: {
      ...dye(WARM, '#6b4632', '#8f6244', '#a86a2f', '#4f6a8f'),
      back: 'messy',
      bangs: 'spiky',
      angular: true,
    },
    cloth: [
      ['#3f4f6f', '#c8553f'],
      ['#6a8a5e', '#f0c060'],
    ],
  },
  ravn: {
    name: 'Ravn Eskild',
    look: {
      ...dye(FAIR, '#c9d2e6', '#aab8d8', '#4a86d8', '#3f5f9a'),
      back: 'cropped',
      bangs: 'swept',
      angular: true,
    },
    cloth: [
      ['#34508f', '#e0b85a'],
      ['#5c5f78', '#9fb8e0'],
    ],
  },
  celestine: {
    name: 'Celestine Aubade',
    look: {
      ...dye(WARM, '#fbe3b0', '#fcc6b4', '#5aa8e0', '#f2b8c8'),
      back: 'wavy',
      bangs: 'soft',
      feature: 'halo',
    },
    cloth: [
      ['#f4f0ff', '#f0c060'],
      ['#9fc4ec', '#fff0c8'],
    ],
  },
  noctia: {
    name: 'Noctia Verrault',
    look: {
      ...dye(FAIR, '#3f3854', '#7a4a7c', '#d8404a', '#b83a5a'),
      back: 'long',
      bangs: 'straight',
      feature: 'horns',
    },
    cloth: [
      ['#6b2a4c', '#e0b05a'],
      ['#38365c', '#d8506a'],
    ],
  },
  yuzuki: {
    name: 'Yuzuki Morikage',
    look: {
      ...dye(WARM, '#8a5a44', '#a8745a', '#6f9a3f', '#d8704a'),
      back: 'braids',
      bangs: 'straight',
      glasses: true,
    },
    cloth: [
      ['#7a8f5a', '#e8c88a'],
      ['#b86a5a', '#f2e0c0'],
    ],
  },
  tamao: {
    name: 'Tamao Shirase',
    look: {
      ...dye(FAIR, '#4a4660', '#5f6a94', '#4fc0c8', '#f2c04a'),
      back: 'sidetail',
      bangs: 'swept',
      feature: 'cat',
    },
    cloth: [
      ['#3a6a8f', '#f2c04a'],
      ['#c8506f', '#fbe0a8'],
    ],
  },
  mirelle: {
    name: 'Mirelle Castan',
    look: { ...dye(WARM, '#4fb0a0', '#9fe0c0', '#e0804a', '#f28aa0'), back: 'twintails', bangs: 'parted' },
    cloth: [
      ['#2f7f80', '#f28aa0'],
      ['#f2b0a0', '#4fa898'],
    ],
  },
  ilvar: {
    name: 'Ilvar Tenn',
    look: {
      ...dye(TAN, '#a8c4d8', '#8a9ae0', '#8a5fd8', '#6a8ad8'),
      back: 'bob',
      bangs: 'veil',
      feature: 'elf',
    },
    cloth: [
      ['#4a5590', '#a8d8e0'],
      ['#5f7f8f', '#c8a8f0'],
    ],
  },
  brisa: {
    name: 'Brisa Calder',
    look: { ...dye(TAN, '#b8503a', '#e0804a', '#3f9a8a', '#f2c14e'), back: 'curls', bangs: 'soft' },
    cloth: [
      ['#f2b84a', '#d8553f'],
      ['#3f8f8a', '#f6d08a'],
    ],
  },
  adanna: {
    name: 'Adanna Obiora',
    look: { ...dye(DEEP, '#3c3048', '#6a4a80', '#e0a030', '#f2a03f'), back: 'buns', bangs: 'parted' },
    cloth: [
      ['#e08a3a', '#3f7a6a'],
      ['#8a4a9a', '#f6cf6a'],
    ],
  },
  ren: {
    name: 'Ren Oborozuka',
    look: {
      ...dye(FAIR, '#e6dfd6', '#c4b4b0', '#d8803a', '#b8404a'),
      back: 'messy',
      bangs: 'spiky',
      feature: 'fox',
      angular: true,
    },
    cloth: [
      ['#44506f', '#b8404a'],
      ['#7c4a4a', '#e8c88a'],
    ],
  },
  ishani: {
    name: 'Ishani Varde',
    look: {
      ...dye(BROWN, '#4a3440', '#7a4a50', '#b06a34', '#e05a7a'),
      back: 'ponytail',
      bangs: 'swept',
      glasses: true,
    },
    cloth: [
      ['#c84a6a', '#f2c860'],
      ['#3a6f8a', '#f2a07a'],
    ],
  },
} satisfies Record<string, Performer>;

export type CastKey = keyof typeof CAST;
