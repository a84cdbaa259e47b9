/** Which fields of an image an operator decided. Imports of folders do not change these. */

/** Sorted. */
export const EDITABLE_FIELDS = ['artist', 'categories', 'characters', 'rating', 'source'] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];

export function isEditableField(name: string): name is EditableField {
  return (EDITABLE_FIELDS as readonly string[]).includes(name);
}

/**
 * Stored among the fields if an operator edited the image itself. A record of a catalogue file decides fields too, but then
 * the image is still as it was imported, and reverting the import loses nothing.
 */
const BY_HAND = 'by-hand';

/** As they are stored: sorted, separated by spaces, with the mark last. */
export function formatEdited(fields: EditableField[], isByHand = false): string {
  const names: string[] = EDITABLE_FIELDS.filter((field) => fields.includes(field));
  return (isByHand ? [...names, BY_HAND] : names).join(' ');
}

export function isEditedByHand(text: string): boolean {
  return text.split(' ').includes(BY_HAND);
}

/** Ignores names of no field. */
export function parseEdited(text: string): EditableField[] {
  return text.split(' ').filter(isEditableField);
}
