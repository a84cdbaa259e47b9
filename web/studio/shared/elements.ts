/** What pages of the studio have in common: buttons, fields, lists to choose from, the frame of a page, and the dialog. */
import { type Attributes, byId, el } from '../../dom.ts';

/** A small one, unless it has another class. */
export function button(label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: 'button small', click, ...attributes }, label);
}

/** With its label above it. */
export function field(label: string, input: HTMLElement): HTMLElement {
  return el('label.field', el('span', label), input);
}

export function textField(label: string, value: string, attributes: Attributes = {}) {
  const input = el('input', { type: 'text', value, ...attributes });
  return { input, element: field(label, input) };
}

/** `options` are texts by value. */
export function choice(options: Record<string, string>, attributes: Attributes = {}): HTMLSelectElement {
  const entries = Object.entries(options).map(([value, text]) => el('option', { value }, text));
  return el('select', attributes, ...entries);
}

/** Lets people choose files. */
export function fileButton(
  label: string,
  look: string,
  attributes: Attributes,
  choose: (files: File[]) => void,
): HTMLElement {
  const input = el('input.visually-hidden', { type: 'file', ...attributes });
  input.addEventListener('change', () => {
    choose([...(input.files ?? [])]);
    // So that the same files can be chosen again.
    input.value = '';
  });
  return el('label', { class: look }, label, input);
}

/** In place of the page before. `controls` are next to the title. Returns the element of the content, which `label` names. */
export function showPage(title: string, controls: Node[], label: string, ...content: Node[]): HTMLElement {
  const region = { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label };
  const element = el('div', region, ...content);
  const head = el('div.filters', el('h1', { tabindex: '-1' }, title), ...controls);
  byId('lists').replaceChildren(head, element);
  return element;
}

// The one dialog: a title, content, and buttons.

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
    el('p.note', { role: 'status' }),
    el(
      'div.buttons',
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
