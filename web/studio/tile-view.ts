/** How large tiles are and what is below them. The browser remembers it. */
import { byId } from '../dom.ts';
import { readSetting, saveSetting } from '../storage.ts';

export type Caption = '' | 'titles' | 'files';

export interface TileView {
  minSize: number;
  thumbnailSize: number;
  caption: Caption;
  captionHeight: number;
}

const CAPTION_HEIGHT = 26;
const sizes = {
  small: { minSize: 96, thumbnailSize: 256 },
  medium: { minSize: 150, thumbnailSize: 256 },
  large: { minSize: 260, thumbnailSize: 640 },
};

/** As the fields of the page say. */
export function readTileView(): TileView {
  const caption = byId<HTMLSelectElement>('captions').value as Caption;
  return {
    ...sizes[byId<HTMLSelectElement>('tile-size').value as keyof typeof sizes],
    caption,
    captionHeight: caption === '' ? 0 : CAPTION_HEIGHT,
  };
}

/** Fills the fields with what the browser remembers. */
export function restoreTileView(onChange: () => void): void {
  for (const id of ['tile-size', 'captions']) {
    const select = byId<HTMLSelectElement>(id);
    const saved = readSetting(`studio-${id}`);
    if ([...select.options].some(({ value }) => value === saved)) select.value = saved as string;
    select.addEventListener('change', () => {
      saveSetting(`studio-${id}`, select.value);
      onChange();
    });
  }
}
