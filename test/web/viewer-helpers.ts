/** Moves fingers over the viewer, and reads where its picture is. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

export const picture = (page: Page) => page.locator('#stage img');
export const boxOf = async (page: Page) => {
  const box = await picture(page).boundingBox();
  assert.ok(box);
  return box;
};
export const middleOf = ({ x, y, width, height }: Awaited<ReturnType<typeof boxOf>>) => ({
  x: x + width / 2,
  y: y + height / 2,
});
/** With one step per call, as a finger moves. Each finger is a list of its positions. */
export async function touch(page: Page, ...fingers: [x: number, y: number][][]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const points = (step: number) =>
    fingers.map((positions, id) => {
      const [x = 0, y = 0] = positions[step] ?? [];
      return { x, y, id };
    });
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
  for (let step = 1; step < (fingers[0]?.length ?? 0); step++)
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(step) });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
/** From one point to another in ten steps. */
export const line = (from: [number, number], to: [number, number]) =>
  Array.from({ length: 11 }, (_, step): [number, number] => [
    from[0] + ((to[0] - from[0]) * step) / 10,
    from[1] + ((to[1] - from[1]) * step) / 10,
  ]);
/** The dialog reacts to a wheel and to a resized stage a moment later. */
export const waitUntilWider = (page: Page, { width }: { width: number }) =>
  page.waitForFunction(
    (width) => (document.querySelector('#stage img')?.getBoundingClientRect().width ?? 0) > width,
    width,
  );
export const waitForFile = (page: Page, type: string) =>
  page.waitForFunction(
    (type) => document.querySelector<HTMLImageElement>('#stage img')?.currentSrc.includes(type),
    type,
  );
