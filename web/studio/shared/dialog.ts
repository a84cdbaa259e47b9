/** The one dialog: a title, content, and buttons. */
import { byId, el } from '../../dom.ts';

interface DialogButton {
  label: string;
  isStrong?: boolean;
  /** Closes the dialog unless it returns false. */
  press?(): boolean | undefined | Promise<boolean | undefined>;
}

export function showDialog(title: string, content: (Node | string)[], buttons: DialogButton[]): void {
  const dialog = byId<HTMLDialogElement>('dialog');
  let isPressed = false;
  const form = el(
    'form',
    {
      method: 'dialog',
      submit: (event) => {
        event.preventDefault();
        const { submitter } = event as SubmitEvent;
        const button = buttons[Number((submitter as HTMLButtonElement | null)?.value ?? 0)];
        if (!button?.press) return dialog.close();
        if (isPressed) return;
        isPressed = true;
        void Promise.resolve(button.press()).then((result) => {
          isPressed = false;
          // Another dialog may have replaced this one.
          if (result !== false && form.isConnected) dialog.close();
        });
      },
    },
    el('h2', { id: 'dialog-title' }, title),
    ...content,
    el('p', { class: 'note', role: 'status' }),
    el(
      'div',
      { class: 'buttons' },
      ...buttons.map(({ label, isStrong }, index) =>
        el('button', { class: isStrong ? 'button strong' : 'button', value: index }, label),
      ),
    ),
  );
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
}

/** One that a button confirms. */
export function ask(
  title: string,
  content: (Node | string)[],
  label: string,
  press: NonNullable<DialogButton['press']>,
): void {
  showDialog(title, content, [{ label, isStrong: true, press }, { label: 'Cancel' }]);
}
