/** The texts of the site: visitors read them on every page. */
import type { RequestTo, ResponseOf } from '../../../src/studio/contract.ts';
import { byId, el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { get } from '../shared/api.ts';
import { explain } from '../shared/notices.ts';

type Field = RequestTo<'/change/site'>['field'];

const fields: Record<Field, { label: string; hint: string }> = {
  name: { label: 'Name', hint: 'On every page, up to 60 characters' },
  description: { label: 'Description', hint: 'A sentence for the foot of each page and for link previews' },
  links: { label: 'Links', hint: 'Imprint=https://example.org/imprint, Privacy=https://example.org/privacy' },
  licence: { label: 'Licence', hint: 'Of pictures that state none: CC BY 4.0, an address or name=address' },
};

export async function showSite(steps: Steps, signal: AbortSignal): Promise<void> {
  const site = await get('/data/site', {}, signal);
  const inputs = (Object.keys(fields) as Field[]).map((field) => row(field, site, steps));
  byId('lists').replaceChildren(
    el('div.filters', el('h1', { tabindex: '-1' }, 'Site')),
    el('div.scroll.site', ...inputs),
  );
}

function row(field: Field, { texts, fixed }: ResponseOf<'/data/site'>, steps: Steps): HTMLElement {
  const { label, hint } = fields[field];
  const variable = fixed[field];
  const input = el('input', { type: 'text', value: texts[field] ?? '', disabled: variable !== undefined });
  input.addEventListener('change', () => {
    const text = input.value.trim();
    steps.make('/change/site', { field, text }).catch(explain);
  });
  const note =
    variable === undefined ? hint : `Set by the environment variable ${variable}; change it there.`;
  return el('label.field', el('span', label), input, el('span.quiet', note));
}
