/** Labels of steps, for the list of what can be undone. */
import type { Request } from './requests.ts';

export function describeImages(count: number): string {
  return count === 1 ? '1 picture' : `${count} pictures`;
}

export function describeEdit(edit: Request<'editImages'>['edit'], images: number): string {
  const list = (names: string[] | undefined, verb: string) =>
    names && names.length > 0 ? [`${verb} ${names.join(', ')}`] : [];
  const parts = [
    ...(edit.rating ? [`rate ${edit.rating}`] : []),
    ...(edit.artist === undefined ? [] : [`artist ${edit.artist}`]),
    ...list(edit.addCategories, 'add'),
    ...list(edit.removeCategories, 'remove'),
    ...list(edit.addCharacters, 'add'),
    ...list(edit.removeCharacters, 'remove'),
    ...(edit.sourceName === undefined && edit.sourceUrl === undefined ? [] : ['change the source']),
    ...list(edit.reset, 'reset'),
  ];
  const text = parts.join(', ') || 'change';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}: ${describeImages(images)}`;
}
