/** The body of bust and half-figure pictures: neck, torso, arms and hands, dressed in an outfit. */
import { mix, shade } from './colour.ts';
import { skinLine, skinShade } from './face.ts';
import type { Outfit } from './outfits.ts';
import { propOf } from './props.ts';
import { fill, group, inked, stroke, tube, vertical } from './svg.ts';
import type { Look, Pose } from './types.ts';

const TORSO =
  'M-30 160C-38 186 -84 188 -110 206C-122 244 -102 300 -92 344C-84 390 -80 424 -86 456C-98 510 -112 560 -116 640L116 640C112 560 98 510 86 456C80 424 84 390 92 344C102 300 122 244 110 206C84 188 38 186 30 160C24 204 -24 204 -30 160Z';
const NECK = 'M-27 92C-26 130 -28 150 -38 176C-20 208 20 208 38 176C28 150 26 130 27 92Z';

/** Arms from the shoulder to the elbow, and on to the wrist. */
const ARM = {
  down: ['M96 236C120 300 130 380 134 650', ''],
  hold: ['M96 236C126 300 140 350 132 400', 'M132 400C116 430 84 428 48 408'],
  wave: ['M96 236C130 290 168 330 196 326', 'M196 326C212 290 214 250 212 208'],
} as const;

/** The hanging part of a kimono sleeve, under the forearm. */
const DRAPE = {
  hold: 'M158 396C166 450 162 510 148 560C120 572 84 566 66 552C70 500 66 460 52 432Z',
  wave: 'M186 220L238 220C252 290 262 370 252 436C232 450 206 448 190 436C194 390 178 340 160 316Z',
} as const;

const HAND = { hold: [40, 400], wave: [212, 176] } as const;

const PALM = 'M-20 -10C-22 14 -14 26 0 28C14 26 22 14 20 -10C8 -20 -8 -20 -20 -10Z';

function openHand(look: Look, ink: number): string {
  const line = skinLine(look);
  const finger = (x: number, y: number, x2: number, y2: number): string => `M${x} ${y}L${x2} ${y2}`;
  const fingers = [
    finger(-12, -8, -20, -40),
    finger(-4, -10, -6, -48),
    finger(5, -10, 8, -46),
    finger(13, -6, 22, -36),
    finger(-16, 6, -34, -8),
  ];
  return (
    fingers.map((d) => stroke(d, line, 13 + ink * 2)).join('') +
    inked(PALM, look.skin, line, ink * 2) +
    fingers.map((d) => stroke(d, look.skin, 13)).join('') +
    fill(PALM, look.skin) +
    stroke('M-10 8C-2 2 8 2 14 8', skinShade(look), 3)
  );
}

/** A hand closed around something, seen from its back. */
function grip(look: Look, side: number, ink: number): string {
  const line = skinLine(look);
  return group(
    `translate(${side * HAND.hold[0]} ${HAND.hold[1]}) scale(${side} 1)`,
    inked('M18 -18C2 -26 -18 -22 -24 -12C-30 0 -28 14 -18 20C-4 26 14 20 22 8Z', look.skin, line, ink),
    stroke('M-26 -4C-18 -6 -12 -6 -7 -3M-27 6C-20 5 -14 5 -9 7', line, ink * 0.7, 0.7),
  );
}

interface Sleeve {
  side: number;
  kind: keyof typeof ARM;
  outfit: Outfit;
  look: Look;
  ink: number;
}

const sleeveWidth = (look: Look): number => (look.angular ? 58 : 54);

const upperArm = ({ side, kind, outfit, look, ink }: Sleeve): string =>
  group(
    `scale(${side} 1)`,
    tube(ARM[kind][0], outfit.sleeve, shade(outfit.sleeve, 0.55), sleeveWidth(look), ink),
  );

/** Painted over the torso's edge so that sleeve and shoulder are one surface. */
const shoulder = ({ side, kind, outfit, look }: Sleeve): string =>
  group(`scale(${side} 1)`, stroke(ARM[kind][0], outfit.sleeve, sleeveWidth(look)));

function forearm({ side, kind, outfit, look, ink }: Sleeve): string {
  const width = sleeveWidth(look);
  const cuffLine = shade(outfit.cuff, 0.5);
  const crease = stroke('M71 300C80 330 84 360 82 420', shade(outfit.sleeve, 0.55), ink, 0.8);
  if (kind === 'down') return group(`scale(${side} 1)`, crease);
  const wave = kind === 'wave';
  return group(
    `scale(${side} 1)`,
    outfit.drape ? inked(DRAPE[kind], outfit.sleeve, shade(outfit.sleeve, 0.55), ink) : '',
    wave ? group(`translate(${HAND.wave[0]} ${HAND.wave[1]}) rotate(6)`, openHand(look, ink)) : '',
    tube(ARM[kind][1], outfit.sleeve, shade(outfit.sleeve, 0.55), width, ink),
    stroke(ARM[kind][0], outfit.sleeve, width * 0.86),
    tube(wave ? 'M212 222V206' : 'M66 416L54 410', outfit.cuff, cuffLine, width * 0.92, ink),
  );
}

function neck(look: Look, ink: number): string {
  const shadow = 'M-27 112C-10 134 10 134 27 112C28 140 30 150 33 160C12 172 -14 166 -31 150Z';
  return (
    inked(NECK, look.skin, skinLine(look), ink) +
    fill(shadow, mix(skinShade(look), shade(look.skin, 0.35), 0.35), 0.85)
  );
}

export function body(look: Look, outfit: Outfit, pose: Pose, id: string, ink: number): string {
  const line = shade(outfit.torso, 0.55);
  const widen = look.angular ? 'scale(1.14 1)' : 'scale(1 1)';
  const holding = pose !== 'down' && pose !== 'wave';
  const sleeve = (side: number, kind: keyof typeof ARM): Sleeve => ({ side, kind, outfit, look, ink });
  const arms = [sleeve(-1, holding ? 'hold' : 'down'), sleeve(1, holding ? 'hold' : pose)];
  return [
    vertical(`${id}t`, 160, 560, [0, outfit.torso], [0.4, outfit.torso], [1, shade(outfit.torso, 0.28)]),
    outfit.behind,
    neck(look, ink),
    group(
      widen,
      ...arms.map(upperArm),
      inked(TORSO, `url(#${id}t)`, line, ink),
      ...(outfit.sleeve === outfit.torso ? arms.map(shoulder) : []),
      outfit.detail,
      ...arms.map(forearm),
    ),
    holding ? propOf(pose) + grip(look, -1, ink) + grip(look, 1, ink) : '',
  ].join('');
}
