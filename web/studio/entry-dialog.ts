/** Changes, merges and removes one artist, character, category or album. */
import type { AddressOf, Kind, ListedEntry, RequestTo } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { type Choice, Combobox } from './combobox.ts';
import { showDialog, textField } from './dialog.ts';
import { explain, notify } from './notices.ts';
import { makeStep } from './steps.ts';
import { countPictures } from './text.ts';

/** The fields of each kind with their labels. Lists have one item per comma. */
const fieldsOf: Record<Kind, Record<string, string>> = {
  artist: { url: 'URL' },
  category: { description: 'Description' },
  album: { description: 'Description' },
  character: {
    ...{
      description: 'Description',
      source: 'From',
      gender: 'Gender',
      ages: 'Ages',
      birth_date: 'Birth date',
    },
    nationality: 'Nationality',
    occupations: 'Occupations',
  },
};

export function showEntry(kind: Kind, entry: ListedEntry, onChanged: () => void): void {
  const { id, version, fields } = entry;
  const save: Save = async (address, body, message) => {
    try {
      await makeStep(address, body);
      notify(message);
      onChanged();
      return true;
    } catch (error) {
      explain(error);
      return false;
    }
  };
  const name = textField('Name', entry.name);
  // A name may contain a comma.
  const aliases = el('textarea', { rows: Math.min(entry.aliases.length + 1, 5) }, entry.aliases.join('\n'));
  const inputs = Object.entries(fieldsOf[kind]).map(([field, label]) => ({
    field,
    ...textField(label, [fields[field] ?? ''].flat().join(', ')),
  }));
  const nsfw = el('input', { type: 'checkbox', checked: fields.nsfw === true });
  const edit = () => {
    const before = new Set(entry.aliases);
    const after = new Set(splitList(aliases.value, '\n'));
    const changed = inputs.filter(({ input }) => input.value !== input.defaultValue);
    const ages = changed.find(({ field }) => field === 'ages');
    if (ages && splitList(ages.input.value).some((age) => !/^\d+$/.test(age))) {
      notify('Ages must be whole numbers, separated by commas.');
      return false;
    }
    const body = {
      kind,
      id,
      version,
      fields: {
        ...(name.input.value.trim() !== entry.name && { name: name.input.value.trim() }),
        ...Object.fromEntries(
          changed.map(({ field, input }) => [field, readField(field, input.value.trim())]),
        ),
        ...(kind === 'category' && nsfw.checked !== nsfw.defaultChecked && { nsfw: nsfw.checked }),
      },
      addAliases: [...after].filter((alias) => !before.has(alias)),
      removeAliases: [...before].filter((alias) => !after.has(alias)),
    };
    return save('/change/entry', body, `Saved ${name.input.value.trim()}.`);
  };
  showDialog(
    `Change ${entry.name}`,
    [
      name.element,
      ...inputs.map(({ element }) => element),
      ...(kind === 'category' ? [el('label', { class: 'check' }, nsfw, 'For adults')] : []),
      el('label', { class: 'field' }, el('span', {}, 'Other names, one per line'), aliases),
    ],
    [
      { label: 'Save', isStrong: true, press: edit },
      { label: 'Merge…', press: () => askTarget(kind, entry, save) },
      { label: 'Remove…', press: () => askRemoval(kind, entry, save) },
      { label: 'Cancel' },
    ],
  );
}

type Save = <A extends AddressOf<'change'>>(
  address: A,
  body: RequestTo<A>,
  message: string,
) => Promise<boolean>;

function askTarget(kind: Kind, { id, name, version, images }: ListedEntry, save: Save): false {
  let target: Choice | undefined;
  const chosen = el('p', { role: 'status' });
  const combobox = new Combobox({
    label: 'Merge into',
    kind: () => kind,
    mayCreate: false,
    async onChoose(choosing) {
      const choice = await choosing;
      if (!choice) return;
      target = choice;
      chosen.textContent = `${name} becomes another name of ${choice.name}, which gets its ${countPictures(images)}.`;
    },
  });
  const press = async () => {
    if (target?.id !== undefined && target.id !== id)
      return save(
        '/change/entry/merge',
        { kind, from: id, into: target.id, version },
        `Merged into ${target.name}.`,
      );
    notify('Choose another entry to merge into.');
    return false;
  };
  showDialog(
    `Merge ${name}`,
    [combobox.element, chosen],
    [{ label: 'Merge', isStrong: true, press }, { label: 'Cancel' }],
  );
  combobox.input.focus();
  return false;
}

function askRemoval(kind: Kind, { id, name, version, images }: ListedEntry, save: Save): false {
  const block = el('input', { type: 'checkbox' });
  const press = () =>
    save('/change/entry/remove', { kind, id, version, block: block.checked }, `Removed ${name}.`);
  showDialog(
    `Remove ${name}`,
    [
      el(
        'p',
        {},
        images === 0
          ? 'No picture has it.'
          : `${countPictures(images)} will lose it, and stay in the catalogue.`,
      ),
      el('label', { class: 'check' }, block, 'Block the name, so that imports do not create it again'),
    ],
    [{ label: 'Remove', isStrong: true, press }, { label: 'Cancel' }],
  );
  return false;
}

function splitList(text: string, separator = ','): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);
}

function readField(field: string, text: string): unknown {
  if (field === 'ages') return splitList(text).map(Number);
  return field === 'occupations' ? splitList(text) : text;
}
