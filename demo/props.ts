/** The things figures hold in front of them. */
import { shade, tint } from './colour.ts';
import { ellipse, fill, inked, radial, rect, stroke } from './svg.ts';
import type { Pose } from './types.ts';

const mug = (): string =>
  inked('M40 372C72 364 74 412 40 408', 'none', '#5a4a66', 8) +
  inked('M-42 352L-36 430C-20 440 20 440 36 430L42 352Z', '#fff4e4', '#6a5570', 3.5) +
  ellipse(0, 352, 42, 11, '#6b4231') +
  stroke('M-42 352C-42 338 42 338 42 352C42 366 -42 366 -42 352Z', '#6a5570', 3.5) +
  fill('M0 412c-9 -9 -17 -14 -17 -23c0 -11 14 -13 17 -3c3 -10 17 -8 17 3c0 9 -8 14 -17 23Z', '#ec7c8d') +
  stroke('M-14 330C-24 316 -4 306 -14 290M14 328C4 314 24 304 14 286', '#ffffff', 5, 0.65);

const book = (): string =>
  inked(
    'M0 352C-30 336 -70 336 -96 346L-90 446C-64 438 -30 440 0 452C30 440 64 438 90 446L96 346C70 336 30 336 0 352Z',
    '#3f5f8f',
    '#253a5e',
    4,
  ) +
  fill(
    'M0 342C-28 328 -66 328 -90 338L-90 348C-66 338 -28 340 0 354C28 340 66 338 90 348L90 338C66 328 28 328 0 342Z',
    '#fff8ea',
  ) +
  stroke('M0 354V450', '#253a5e', 3.5) +
  stroke('M-78 366C-54 360 -34 362 -18 368M18 368C34 362 54 360 78 366', '#e8c670', 4) +
  fill('M48 388l7 13l14 2l-10 10l2 14l-13 -7l-13 7l2 -14l-10 -10l14 -2Z', '#e8c670');

function bouquet(): string {
  const flowers: readonly (readonly [number, number, string])[] = [
    [-48, 330, '#f58ba6'],
    [0, 308, '#ffd36e'],
    [48, 332, '#f58ba6'],
    [-24, 348, '#ffffff'],
    [26, 352, '#b79cf0'],
  ];
  const flower = ([x, y, colour]: readonly [number, number, string]): string =>
    Array.from({ length: 6 }, (_, i) => {
      const angle = (i * Math.PI) / 3;
      return `<circle cx="${x + Math.round(Math.cos(angle) * 15)}" cy="${y + Math.round(Math.sin(angle) * 15)}" r="12" fill="${colour}" stroke="${shade(colour, 0.3)}" stroke-width="2"/>`;
    }).join('') + ellipse(x, y, 10, 10, colour === '#ffd36e' ? '#f0913f' : '#ffe08a');
  const leaves = fill(
    'M-30 360C-80 356 -92 326 -94 300C-66 304 -44 326 -30 360ZM30 360C80 356 92 326 94 300C66 304 44 326 30 360ZM0 350C-20 310 -10 286 0 270C12 286 20 310 0 350Z',
    '#6fb37a',
  );
  return (
    leaves +
    inked('M-58 346L-14 470H14L58 346C30 372 -30 372 -58 346Z', '#fdf1f4', '#a0788c', 3.5) +
    flowers.map(flower).join('') +
    fill('M-22 424C-8 430 8 430 22 424L18 438C6 442 -6 442 -18 438Z', '#ec7c8d')
  );
}

const kitten = (): string =>
  inked('M-44 372C-60 420 -50 462 0 462C50 462 60 420 44 372Z', '#fff3e2', '#7d5b4c', 3.5) +
  inked(
    'M-52 306L-46 262L-18 286C-6 282 6 282 18 286L46 262L52 306C64 340 44 374 0 374C-44 374 -64 340 -52 306Z',
    '#fff3e2',
    '#7d5b4c',
    3.5,
  ) +
  fill('M-46 262L-18 286C-30 292 -44 302 -50 312Z', '#f0a860') +
  fill('M-42 276L-26 288L-44 300ZM42 276L26 288L44 300Z', '#f7b3b8') +
  ellipse(-21, 328, 7, 9, '#4a3540') +
  ellipse(21, 328, 7, 9, '#4a3540') +
  ellipse(-23, 325, 2.6, 3, '#ffffff') +
  ellipse(19, 325, 2.6, 3, '#ffffff') +
  fill('M-5 338h10l-5 6Z', '#ec7c8d') +
  stroke('M-9 348C-6 353 -2 352 0 346C2 352 6 353 9 348', '#7d5b4c', 3) +
  stroke('M-44 336l-22 -4M-44 344l-20 6M44 336l22 -4M44 344l20 6', '#7d5b4c', 2, 0.6) +
  ellipse(-34, 344, 8, 5, '#ff9aa0', 0.6) +
  ellipse(34, 344, 8, 5, '#ff9aa0', 0.6);

const lantern = (): string =>
  radial('glow-l', [0, '#ffe9a8', 0.9], [0.5, '#ffc96b', 0.35], [1, '#ffb04a', 0]) +
  ellipse(0, 360, 150, 150, 'url(#glow-l)') +
  inked(
    'M0 300C56 300 62 330 62 360C62 392 56 424 0 424C-56 424 -62 392 -62 360C-62 330 -56 300 0 300Z',
    '#f9705a',
    '#7d2f38',
    3.5,
  ) +
  ellipse(0, 362, 34, 44, '#ffd98a', 0.75) +
  stroke(
    'M-58 340C-30 350 30 350 58 340M-62 362C-30 372 30 372 62 362M-58 386C-30 396 30 396 58 386',
    '#7d2f38',
    2.4,
    0.45,
  ) +
  rect(-26, 290, 52, 14, '#4a3040', 1, 4) +
  rect(-26, 420, 52, 14, '#4a3040', 1, 4) +
  stroke('M0 434V470', tint('#f9705a', 0.2), 7);

export function propOf(pose: Exclude<Pose, 'down' | 'wave'>): string {
  return { mug, book, bouquet, kitten, lantern }[pose]();
}
