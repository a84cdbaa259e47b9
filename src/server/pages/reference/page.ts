/** The reference page: the whole OpenAPI document as HTML. */
import type { Route } from '../../../api/endpoint.ts';
import type { Site } from '../../../api/services.ts';
import { html, type Markup, prose } from '../html.ts';
import { iconLink, wordmark } from '../site.ts';
import type { Examples } from './examples.ts';
import { headerList, quickStart, searchSection } from './guide.ts';
import { operationSection, schemaSection } from './sections.ts';
import type { OpenApi, Operation } from './types.ts';

/** The addresses of its files, with their versions. */
interface PageFiles {
  style: string;
  script: string;
}

/** The routes and the examples add what OpenAPI has no field for: calls that work on this catalogue, and its responses. */
export function referencePage(
  document: OpenApi,
  routes: readonly Route[],
  examples: Examples,
  site: Site,
  files: PageFiles,
): string {
  const { info, components, servers } = document;
  const prefix = servers[0]?.url.replace(/\/$/, '') ?? '';
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${site.name} API reference</title>
<meta name="description" content="${info.summary}">
${iconLink(site)}
<link rel="stylesheet" href="${files.style}">
<script defer src="${files.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
  <div class="bar">${wordmark(site)}</div>
  <nav aria-label="Site">
    <a href="/">Gallery</a>
    <a href="/docs" aria-current="page">API reference</a>
    <a href="/openapi.json">OpenAPI</a>
  </nav>
</header>
<div class="columns">
${contents(document)}
<main id="content">
<p class="eyebrow">Version ${info.version}</p>
<h1>API reference</h1>
<p class="lead">${info.summary}</p>
<p>The API is available at ${servers.map(({ url }, index) => html`${index === 0 ? '' : ' and '}<code>${url}</code>`)}.
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
<div id="status" class="visually-hidden" role="status"></div>
</body>
</html>
`;
  return page.text;
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
  { origin, records, responses }: Examples,
  { name, description }: OpenApi['tags'][number],
): Markup {
  const calls = new Map(routes.map(({ path, example }) => [path, example.call?.(records) ?? {}]));
  const sections = operationsIn(document, name).map(([path, operation]) =>
    operationSection(document, path, operation, {
      origin,
      call: calls.get(path),
      response: responses[path],
    }),
  );
  return html`<h2 id="${name.toLowerCase()}-group">${name}</h2>
<p>${prose(description)}</p>
${sections}`;
}
