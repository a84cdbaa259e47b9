/** Asks before pictures are removed, and for the reason. */
import { el } from '../dom.ts';
import { showDialog, textField } from './dialog.ts';
import { countPictures } from './text.ts';

/** To the trash, or for ever. */
export function showRemoval(count: number, isTakeDown: boolean, remove: (reason: string) => void): void {
  const reason = textField('Reason; imports show it when they skip the picture', '');
  const press = () => {
    remove(reason.input.value.trim());
    return true;
  };
  const effect = isTakeDown
    ? 'This deletes what you selected, with its files and its history, at once and for ever. You can’t undo it.'
    : 'What you remove is no longer served and moves to the trash, from which you can restore it.';
  showDialog(
    `${isTakeDown ? 'Take down' : 'Remove'} ${countPictures(count)}?`,
    [el('p', {}, effect), reason.element],
    [{ label: isTakeDown ? 'Delete for ever' : 'Remove', isStrong: true, press }, { label: 'Cancel' }],
  );
  reason.input.focus();
}
