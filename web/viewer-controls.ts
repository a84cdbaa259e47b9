/** The controls of the dialog: they fade while nobody uses them, and the properties of the image can be hidden. */
import { byId } from './dom.ts';
import { readSetting, saveSetting } from './storage.ts';

const FADE_MS = 3000;
const [viewer, panel, button] = [byId('viewer'), byId('panel'), byId('show-details')];
let timer: ReturnType<typeof setTimeout> | undefined;

export function initControls(): void {
  button.addEventListener('click', toggleDetails);
  setDetails(readSetting('details') !== 'hidden');
  viewer.addEventListener('pointermove', ({ pointerType }) => {
    if (pointerType !== 'touch') wakeControls();
  });
  viewer.addEventListener('keydown', wakeControls);
  // A finger on a control that has faded only shows it.
  let wasIdle = false;
  viewer.addEventListener(
    'pointerdown',
    ({ pointerType }) => {
      wasIdle = pointerType === 'touch' && viewer.classList.contains('idle');
    },
    true,
  );
  viewer.addEventListener(
    'click',
    (event) => {
      if (!wasIdle || !(event.target as Element).closest('.viewer-bar, .step')) return;
      event.stopPropagation();
      wakeControls();
    },
    true,
  );
}

/** They stay in the page: the keyboard and screen readers reach them at any time. */
export function wakeControls(): void {
  clearTimeout(timer);
  viewer.classList.remove('idle');
  timer = setTimeout(() => viewer.classList.add('idle'), FADE_MS);
}

export function toggleControls(): void {
  clearTimeout(timer);
  viewer.classList.toggle('idle');
}

/** On small screens they are always below the picture. */
export function toggleDetails(): void {
  const isShown = viewer.classList.contains('alone');
  saveSetting('details', isShown ? 'shown' : 'hidden');
  setDetails(isShown);
}

function setDetails(isShown: boolean): void {
  if (!isShown && panel.contains(document.activeElement)) button.focus();
  viewer.classList.toggle('alone', !isShown);
  button.setAttribute('aria-pressed', String(isShown));
}
