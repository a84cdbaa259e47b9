/** Which fields of an image an operator decided. Imports of folders do not change these. */

/** Sorted. */
export const EDITABLE_FIELDS = ['artist', 'categories', 'characters', 'rating', 'source'] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];

export function isEditableField(name: string): name is EditableField {
  return (EDITABLE_FIELDS as readonly string[]).includes(name);
}

/** As they are stored: sorted, separated by spaces. */
export function formatEdited(fields: EditableField[]): string {
  return EDITABLE_FIELDS.filter((field) => fields.includes(field)).join(' ');
}

/** Ignores names of no field. */
export function parseEdited(text: string): EditableField[] {
  return text.split(' ').filter(isEditableField);
}
