/** What the page does not need for its first images. This is the entry of its last script, which loads after them. */
import { initCategoryDialog } from './category-dialog.ts';
import { initKeys } from './keys.ts';
import { initSuggestions } from './suggestions.ts';

initSuggestions();
initCategoryDialog();
initKeys();
