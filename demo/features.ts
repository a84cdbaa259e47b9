/** Non-human features of the cast: animal ears and tails, horns and halos. */
import { mix, shade, tint } from './colour.ts';
import { ellipse, fill, group, inked, type Lock, lock, stroke } from './svg.ts';
import type { Look } from './types.ts';

const INNER_EAR = '#f7b3b8';

const sided = (draw: string): string => group('scale(-1 1)', draw) + draw;

function catEar(look: Look, ink: number): string {
  const line = shade(look.hair, 0.62);
  return (
    inked('M34 -146C52 -184 82 -216 108 -226C120 -190 124 -132 116 -78Z', look.hair, line, ink) +
    fill('M56 -146C68 -172 86 -194 101 -203C108 -176 110 -134 104 -98Z', INNER_EAR) +
    fill(
      'M60 -128C66 -150 74 -164 84 -174C82 -158 86 -146 92 -156C92 -138 98 -128 104 -136L104 -90Z',
      tint(look.hair, 0.7),
    )
  );
}

function foxEar(look: Look, ink: number): string {
  const line = shade(look.hair, 0.62);
  return (
    inked('M28 -140C40 -196 74 -250 112 -262C132 -210 136 -132 118 -72Z', look.hair, line, ink) +
    fill(
      'M92 -244C98 -252 106 -258 112 -262C122 -238 127 -214 129 -190C114 -200 98 -210 88 -238Z',
      shade(look.hair, 0.68),
    ) +
    fill('M54 -140C64 -178 82 -206 102 -216C114 -182 116 -134 106 -94Z', mix(INNER_EAR, '#fff6ee', 0.35)) +
    fill(
      'M56 -122C64 -152 74 -168 86 -182C84 -162 90 -148 98 -160C98 -138 104 -128 110 -138L106 -84Z',
      '#fff8f0',
    )
  );
}

const bunnyEar = (look: Look, ink: number): string =>
  inked('M22 -150C20 -240 34 -322 66 -334C98 -330 98 -230 80 -138Z', look.hair, shade(look.hair, 0.55), ink) +
  fill('M38 -150C36 -226 46 -296 64 -308C82 -298 82 -226 70 -146Z', INNER_EAR) +
  fill('M38 -150C38 -176 40 -200 42 -216C50 -196 62 -190 74 -200L70 -146Z', shade(INNER_EAR, 0.14), 0.5);

const horn = (ink: number): string =>
  inked('M52 -150C64 -190 104 -196 112 -236C140 -196 120 -142 86 -124Z', '#6a5468', '#32233a', ink) +
  stroke(
    'M66 -156C78 -150 88 -146 96 -134M82 -176C94 -170 104 -164 112 -152M100 -196C108 -192 116 -186 121 -178',
    '#a58aa0',
    ink,
    0.8,
  );

/** Drawn after the back hair and before the fringe, which covers the roots. */
export function headFeature(look: Look, ink: number): string {
  switch (look.feature) {
    case 'cat':
      return sided(catEar(look, ink));
    case 'fox':
      return sided(foxEar(look, ink));
    case 'bunny':
      return group('rotate(4)', group('scale(-1 1) rotate(8)', bunnyEar(look, ink)), bunnyEar(look, ink));
    case 'horns':
      return sided(horn(ink));
    default:
      return '';
  }
}

/** The ring floats over everything, so it is drawn last. */
export const halo = (look: Look): string =>
  look.feature === 'halo'
    ? ellipse(0, -212, 108, 30, '#fff3b8', 0.28) +
      `<ellipse cx="0" cy="-212" rx="92" ry="20" fill="none" stroke="#f3c24d" stroke-width="12"/>` +
      `<ellipse cx="0" cy="-213" rx="92" ry="20" fill="none" stroke="#fff3b0" stroke-width="6"/>`
    : '';

/** A tail behind the body; fox tails end in white. */
export function tail(look: Look, ink: number): string {
  const line = shade(look.hair, 0.62);
  if (look.feature === 'cat') {
    return (
      stroke('M90 470C210 470 236 380 212 300C204 268 222 244 244 246', line, 34 + ink * 2) +
      stroke('M90 470C210 470 236 380 212 300C204 268 222 244 244 246', look.hair, 34)
    );
  }
  if (look.feature !== 'fox') return '';
  const brush: Lock = {
    path: [
      [80, 500],
      [260, 500],
      [300, 330],
      [216, 200],
    ],
    root: 20,
    belly: 66,
  };
  const end: Lock = {
    path: [
      [262, 318],
      [268, 290],
      [252, 240],
      [216, 200],
    ],
    root: 44,
    belly: 30,
  };
  return inked(lock(brush), look.hair, line, ink) + fill(lock(end), '#fff6ec');
}
