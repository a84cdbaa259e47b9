/** Loads the image dialog after the first tiles, or when an image is opened, and tells it what to show. */
import { addToHead } from './dom.ts';
import { explainError, showToast } from './messages.ts';
import { dialogFiles } from './site.ts';

export interface DialogActions {
  /** Opens another image of the same view. */
  open(id: string): void;
  close(): void;
  loadMore(): Promise<void>;
  /** Called when an image is on show. */
  onShown(): void;
}

export interface DialogState {
  imageId: string | undefined;
  /** The images of the view in order. */
  neighbours: readonly string[];
  /** Whether the view has more images than these. */
  hasMore: boolean;
}

let state: DialogState = { imageId: undefined, neighbours: [], hasMore: false };
let actions: DialogActions;
let update: (state: DialogState) => void;
let loading: Promise<void> | undefined;
let isLoaded = false;

export function initDialog(given: DialogActions): void {
  actions = given;
}

/** Called by the script of the dialog. */
export function connectDialog(connect: (actions: DialogActions) => (state: DialogState) => void): void {
  update = connect(actions);
}

/** Returns the id of the image that was open before. */
export function setDialog(change: Partial<DialogState>): string | undefined {
  const { imageId } = state;
  state = { ...state, ...change };
  if (isLoaded) update(state);
  else if (state.imageId) void loadDialog();
  return imageId;
}

/** After a failure, the next call tries again. */
export function loadDialog(): Promise<void> {
  loading ??= addDialog();
  return loading;
}

async function addDialog(): Promise<void> {
  try {
    const priority = state.imageId ? 'auto' : 'low';
    await Promise.all([
      addToHead('script', dialogFiles.script, priority),
      addToHead('link', dialogFiles.style, priority),
    ]);
    isLoaded = true;
  } catch (error) {
    loading = undefined;
    if (!state.imageId) return;
    actions.close();
    showToast(explainError(error));
  }
  if (isLoaded) update(state);
}
