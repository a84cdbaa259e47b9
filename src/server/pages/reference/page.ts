/** The reference page: the whole OpenAPI document as HTML. */
import { formatAddress, type Query, type Request } from '../../../../web/reference/code.ts';
import type { Route, Site } from '../../../api/endpoint.ts';
import {
  containingPattern,
  type ExampleRecords,
  outlinePattern,
  startingPattern,
} from '../../../api/examples.ts';
import { kinds, kindWords } from '../../../pages/address.ts';
import { html, iconLink, join, type Markup, prose, wholePage, wordmark } from '../../../pages/html.ts';
import type { Examples } from './examples.ts';
import { nameIn, type OpenApi, type Operation, type Ref } from './responses.ts';
import { copyButton, operationSection, requestBlock, schemaSection, tabbedBlock } from './sections.ts';

/**
 * The routes and the examples add what OpenAPI has no field for: calls that work on this catalogue, and its responses. `files` are the
 * addresses of the files of the page, with their versions.
 */
export function referencePage(
  document: OpenApi,
  routes: readonly Route[],
  examples: Examples,
  site: Site,
  files: { style: string; script: string },
): string {
  const { info, components, servers } = document;
  const prefix = servers[0]?.url.replace(/\/$/, '') ?? '';
  const head = html`<title>${site.name} API reference</title>
<meta name="description" content="${info.summary}">
${iconLink(site)}
<link rel="stylesheet" href="${files.style}">
<script defer src="${files.script}"></script>`;
  const body = html`<a class="skip" href="#content">Skip to content</a>
<header class="top">
  <div class="bar">${wordmark(site)}</div>
  <nav aria-label="Site">
    <a href="/">Gallery</a>
    <a href="/docs" aria-current="page">API reference</a>
    <a href="/openapi.json">OpenAPI</a> <a href="/postman.json" download>Postman</a>
  </nav>
</header>
<div class="columns">
${contents(document)}
<main id="content">
<p class="eyebrow">Version ${info.version}</p>
<h1>API reference</h1>
<p class="lead">${info.summary}</p>
<p>The API is available at ${join(
    servers.map(({ url }) => html`<code>${url}</code>`),
    ' and ',
  )}.
The examples are about records of this catalogue; long texts, lists and links are shortened.
<a href="#conventions">Conventions</a> explains responses, lists, the rate limit and tokens.</p>
${quickStart(document, prefix, examples)}
${tokenField}
${document.tags.map((tag) => groupSection(document, routes, examples, tag))}
${searchSection(prefix, examples.records)}
<h2 id="conventions">Conventions</h2>
${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>\n`)}
<h2 id="headers">Response headers</h2>
${headerList(document)}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
</main>
</div>
<footer>
  <p>“Try it” calls this server. Its calls count against your rate limit.</p>
  <p><a href="/">Gallery</a> <a href="/openapi.json">OpenAPI</a></p>
</footer>
<div id="status" class="visually-hidden" role="status"></div>`;
  return wholePage(head, body);
}

/** Not in a form, so browsers do not offer to save it. */
const tokenField = html`<div class="token interactive">
<p><label for="token-field">Token</label>
<input id="token-field" type="password" autocomplete="off" spellcheck="false" placeholder="optional" aria-describedby="token-note">
<button type="button" class="button small" id="forget-token" disabled>Forget</button></p>
<p id="token-note" class="quiet">For the calls that you try on this page. It is sent to this server only, never stored, and gone
when you leave.</p>
</div>`;

function operationsIn({ paths }: OpenApi, tag: string): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get.tags.includes(tag) ? [[path, get] as [string, Operation]] : [],
  );
}

/** Always open on wide screens. */
function contents(document: OpenApi): Markup {
  const groups = document.tags.map(({ name }) => {
    const items = operationsIn(document, name).map(
      ([path, { operationId, summary }]) =>
        html`<li><a href="#${operationId}" title="${summary}"><code>${path}</code></a></li>\n`,
    );
    return contentsGroup(name, items);
  });
  const guide = [
    ['quick-start', 'Quick start'],
    ['search-language', 'Search language'],
    ['conventions', 'Conventions'],
    ['headers', 'Response headers'],
  ].map(([id = '', title = '']) => html`<li><a href="#${id}">${title}</a></li>\n`);
  const schemas = Object.keys(document.components.schemas).map(
    (name) => html`<li><a href="#${name}">${name}</a></li>\n`,
  );
  return html`<details class="contents"><summary>Contents</summary>
<nav aria-label="Contents">
<p class="interactive"><label class="visually-hidden" for="filter">Filter the contents</label>
<input id="filter" type="search" placeholder="Filter" autocomplete="off" autocapitalize="off" spellcheck="false"></p>
<p id="no-contents" class="quiet" hidden>Nothing matches.</p>
${contentsGroup('Guide', guide)}${groups}${contentsGroup('Schemas', schemas)}
</nav>
</details>`;
}

function contentsGroup(name: string, items: Markup[]): Markup {
  return html`<div><h2>${name}</h2>\n<ul>${items}</ul></div>\n`;
}

function groupSection(
  document: OpenApi,
  routes: readonly Route[],
  examples: Examples,
  { name, description }: OpenApi['tags'][number],
): Markup {
  const calls = new Map(routes.map(({ path, example }) => [path, example.call?.(examples.records) ?? {}]));
  const sections = operationsIn(document, name).map(([path, operation]) =>
    operationSection(document, path, operation, examples, calls.get(path)),
  );
  return html`<h2 id="${name.toLowerCase()}-group">${name}</h2>
<p>${prose(description)}</p>
${sections}`;
}

// The parts of the reference page that explain: the quick start, the response headers and the search language.

/** From the first call to a picture in a page or in a chat. */
function quickStart({ paths }: OpenApi, prefix: string, { origin, records }: Examples): Markup {
  const random = (query: Query): Request => ({
    prefix,
    path: '/image/random',
    query,
    method: 'random',
    body: 'data',
  });
  const safe: Query = { nsfw: ['sfw'] };
  const categories: Query = records.categories.length > 0 ? { categories: records.categories } : {};
  const parameters = paths['/image/random']?.get.parameters ?? [];
  const filters = parameters.map((part) => html`<code>${nameIn(part as Ref)}</code>`);
  const block = (name: string, query: Query) =>
    requestBlock(name, random(query), origin, copyButton(`Copy the code of step ${name.at(-1)}`));
  return html`<h2 id="quick-start">Quick start</h2>
${step(
  '1. Get a picture',
  html`<p>No account and no token are needed. <code>url</code> in the response is the picture; it works until <code>meta.expires</code>.
<a href="#random">Try it on this page</a>.</p>`,
  block('step-1', { ...safe, limit: 1 }),
)}
${step(
  '2. Choose what you get',
  html`<p>Filters and options are parameters: ${join(filters, ', ')}. An image must match every filter. <a href="#random">Each is explained below</a>, and the names of categories
are at <a href="#categories"><code>/category</code></a>.</p>`,
  block('step-2', { ...categories, ...safe, limit: 3 }),
)}
${step(
  '3. Use it in a page or a bot',
  html`<p>An address that redirects to a file never expires, so a page can use it as it is. A bot sends the <code>url</code> to its
chat. Many people share the rate limit of a bot: ask the operator for a token without one, or use the typed client, which waits as long as
the server demands.</p>`,
  tabbedBlock('step-3', usageSamples(origin, random, prefix), origin, copyButton('Copy the code of step 3')),
)}`;
}

function step(title: string, text: Markup, code: Markup): Markup {
  return html`<section class="step">
<div class="about"><h3>${title}</h3>
${text}</div>
<div class="examples">${code}</div>
</section>`;
}

function usageSamples(origin: string, random: (query: Query) => Request, prefix: string) {
  const file = formatAddress({
    prefix,
    path: '/image/random/file',
    query: { nsfw: ['sfw'], width: 480 },
    body: 'file',
  });
  const image = formatAddress(random({ nsfw: ['sfw'], limit: 1, include: ['artist'] }));
  return [
    { value: 'page', label: 'Page', code: `<img src="${origin}${file}" alt="A random picture" width="480">` },
    {
      value: 'bot',
      label: 'Bot',
      code: `async function pictureCommand() {
  const response = await fetch('${origin}${image}');
  if (!response.ok) return 'No picture right now, try again later.';
  const [image] = (await response.json()).data;
  if (!image) return 'There is no picture.';
  return \`\${image.url} by \${image.artistDetails.name}\`;
}`,
    },
  ];
}

function headerList({ components }: OpenApi): Markup {
  const items = Object.entries(components.headers).map(
    ([name, { description, example }]) =>
      html`<dt><code>${name}</code></dt><dd>${prose(description)} <span class="sample">${String(example)}</span></dd>
`,
  );
  return html`<dl class="headers">${items}</dl>`;
}

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

/** The search language, with a form that tries patterns on this catalogue. */
function searchSection(prefix: string, records: ExampleRecords): Markup {
  const rows = operators.map(
    ([pattern, meaning, matches]) =>
      html`<tr><th scope="row"><code>${pattern}</code></th><td>${prose(meaning)}</td><td>${matches}</td></tr>
`,
  );
  return html`<h2 id="search-language">Search language</h2>
<p>The parameter <code>search</code> of <a href="#artists"><code>/artist</code></a>, <a href="#characters"><code>/character</code></a>,
<a href="#categories"><code>/category</code></a> and <a href="#albums"><code>/album</code></a> is a pattern. It must match the whole name. Case does not matter.
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
<select id="pattern-kind">${kinds.map((kind) => html`<option value="${kind}">${kindWords[kind]}</option>`)}</select></p>
</form>
<p class="suggestions">${suggestions.map(
    ([kind, pattern]) =>
      html`<button type="button" class="chip" value="${kind}" aria-label="Try ${pattern} on names of ${kindWords[kind]}">${pattern}</button>
`,
  )}</p>
<p id="match-count" role="status"></p>
<div id="matches"></div>
</section>`;
}
