/** The search language, with a form that tries patterns on this catalogue. */
import {
  containingPattern,
  type ExampleRecords,
  outlinePattern,
  startingPattern,
} from '../../../api/examples.ts';
import { html, type Markup, prose } from './markup.ts';

/** With names that match. docs/search.md explains the whole language. */
export const operators: [pattern: string, meaning: string, matches: string][] = [
  ['%ink%', '`%` is any text, even none', 'ink, Hoshino Ink, inkwell'],
  ['a_c', '`_` is exactly one character', 'abc, a-c'],
  ['cat|dog', '`|` separates alternatives', 'cat, dog'],
  ['(cat|dog)girl', 'parentheses group', 'catgirl, doggirl'],
  ['ab*c', '`*` repeats what is before it any number of times', 'ac, abc, abbc'],
  ['abc+', '`+` repeats it at least once', 'abc, abcc'],
  ['abc?', '`?` makes it optional', 'ab, abc'],
  ['abc{2}', '`{2}` repeats it twice, `{2,}` at least twice, `{2,4}` two to four times', 'abcc'],
  ['[a-z]abc', '`[…]` is one of these characters, `[^…]` any other', 'aabc, Babc'],
  ['[[:digit:]]+', 'classes have names, such as `alpha`, `digit` and `space`', '2026'],
  ['100\\%', '`\\` makes the next character literal', '100%'],
];

export function searchSection(prefix: string, records: ExampleRecords): Markup {
  const rows = operators.map(
    ([pattern, meaning, matches]) =>
      html`<tr><th scope="row"><code>${pattern}</code></th><td>${prose(meaning)}</td><td>${matches}</td></tr>
`,
  );
  return html`<h2 id="search-language">Search language</h2>
<p>The parameter <code>search</code> of <a href="#artists"><code>/artist</code></a>, <a href="#characters"><code>/character</code></a>
and <a href="#categories"><code>/category</code></a> is a pattern. It must match the whole name. Case does not matter.
It has at most 50 characters, and an error says at which of them it is wrong.</p>
<table class="operators">
<thead><tr><th scope="col">Pattern</th><th scope="col">Meaning</th><th scope="col">Matches</th></tr></thead>
<tbody>${rows}</tbody></table>
${tester(prefix, records)}`;
}

function tester(prefix: string, { artist, character, category }: ExampleRecords): Markup {
  const suggestions = [
    ['artist', containingPattern(artist.name)],
    ['artist', '%_{12,}'],
    ['character', startingPattern(character.name)],
    ['category', outlinePattern(category.name)],
    ['category', '(ab'],
  ] as const;
  return html`<section class="tester interactive" aria-labelledby="tester-title" data-prefix="${prefix}">
<h3 id="tester-title">Try a pattern</h3>
<p>Shows the names in this catalogue that match.</p>
<form id="tester">
<p><label for="pattern">Pattern</label>
<input id="pattern" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"></p>
<p><label for="pattern-kind">Names of</label>
<select id="pattern-kind"><option value="artist">artists</option><option value="character">characters</option><option value="category">categories</option></select></p>
</form>
<p class="suggestions">${suggestions.map(
    ([kind, pattern]) =>
      html`<button type="button" class="chip" value="${kind}" aria-label="Try ${pattern} on names of ${kind === 'category' ? 'categories' : `${kind}s`}">${pattern}</button>
`,
  )}</p>
<p id="match-count" role="status"></p>
<div id="matches"></div>
</section>`;
}
