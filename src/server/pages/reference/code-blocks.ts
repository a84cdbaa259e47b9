/** The code of the page: example calls in several languages, and responses. */
import { languages, type Request, samplesOf, tokenize } from '../../../../web/reference/code.ts';
import { html, type Markup } from '../html.ts';

interface Sample {
  /** The value of its tab. Tabs of the same value belong together on the whole page. */
  value: string;
  label: string;
  code: string;
}

/** An example call in each language, of which one is shown. `name` is unique on the page. */
export function requestBlock(name: string, request: Request, origin: string, buttons: Markup): Markup {
  const samples = Object.entries(samplesOf(request, origin)).map(([value, code]) => ({
    value,
    label: Reflect.get(languages, value) as string,
    code,
  }));
  return tabbedBlock(name, samples, origin, buttons);
}

/** Radio buttons, because these work without a script. The stylesheet hides the code of the others. */
export function tabbedBlock(name: string, samples: Sample[], origin: string, buttons: Markup): Markup {
  const tabs = samples.map(
    ({ value, label }, index) =>
      html`<label><input type="radio" name="${name}-code" value="${value}"${index === 0 ? html` checked` : ''}>${label}</label>
`,
  );
  return html`<div class="example">
<div class="caption"><fieldset class="tabs"><legend class="visually-hidden">Code</legend>
${tabs}</fieldset>
${buttons}</div>
${samples.map(({ value, code }) => codeBlock(code, origin, html`${value === 'curl' ? html` class="call"` : ''} data-code="${value}"`))}</div>`;
}

/** Closed on narrow screens only. */
export function responseBlock(body: unknown, origin: string): Markup {
  return html`<details class="example response"><summary>Example response</summary>
<div class="caption"><h4>Example response</h4>
${copyButton('Copy the response')}</div>
${codeBlock(JSON.stringify(body, undefined, 2), origin)}</details>`;
}

export function copyButton(label: string): Markup {
  return html`<button type="button" class="button small" data-action="copy" aria-label="${label}">Copy</button>`;
}

function codeBlock(code: string, origin: string, attributes: Markup = html``): Markup {
  const parts = tokenize(code).map(([text, kind]) => {
    const marked = markOrigin(text, origin);
    return kind ? html`<span class="${kind}">${marked}</span>` : html`${marked}`;
  });
  return html`<pre${attributes} tabindex="0"><code>${parts}</code></pre>
`;
}

/** The script replaces it by the origin that the reader called. */
function markOrigin(text: string, origin: string): Markup[] {
  return text
    .split(origin)
    .map((part, index) => (index === 0 ? html`${part}` : html`<span class="origin">${origin}</span>${part}`));
}
