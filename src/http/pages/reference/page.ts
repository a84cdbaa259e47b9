/** The reference page: the whole OpenAPI document as HTML. */
import type { Route } from '../../api/endpoint.ts';
import type { Site } from '../../services.ts';
import { iconLink, siteMark } from '../site-mark.ts';
import { html, type Markup, prose } from './markup.ts';
import { operationSection } from './operation-section.ts';
import { schemaSection } from './schema-tables.ts';
import type { OpenApi, Operation } from './types.ts';

/** The routes add what OpenAPI has no field for: the example calls. */
export function referencePage(document: OpenApi, routes: readonly Route[], site: Site): string {
  const { info, components } = document;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${site.name} API reference</title>
<meta name="description" content="${info.summary}">
${iconLink(site)}
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="name"><a href="/">${siteMark(site)}</a></p>
<p class="links"><a href="/">Gallery</a> <a href="/openapi.json">openapi.json</a></p>
</header>
<div class="columns">
<nav aria-label="Endpoints">${document.tags.map(({ name }) => tableOfContents(document, name))}
<h2 class="aside">Schemas</h2>
<ul class="aside">${Object.keys(components.schemas).map((name) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
</nav>
<main id="content">
<h1>API reference</h1>
<p class="lead">${info.summary} <span class="version">v${info.version}</span></p>
<p>The API is available at ${document.servers.map(({ url }, index) => html`${index === 0 ? '' : ' and '}<code>${url}</code>`)}.</p>
${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>\n`)}
${document.tags.map((tag) => groupSection(document, routes, tag))}
<h2 id="headers">Response headers</h2>
${headerList(document)}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

function operationsIn({ paths }: OpenApi, tag: string): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get.tags.includes(tag) ? [[path, get] as [string, Operation]] : [],
  );
}

function tableOfContents(document: OpenApi, tag: string): Markup {
  const items = operationsIn(document, tag).map(
    ([path, { operationId }]) => html`<li><a href="#${operationId}"><code>${path}</code></a></li>\n`,
  );
  return html`
<h2>${tag}</h2>
<ul>${items}</ul>`;
}

function groupSection(
  document: OpenApi,
  routes: readonly Route[],
  { name, description }: OpenApi['tags'][number],
): Markup {
  const examples = new Map(routes.map(({ path, example }) => [path, example]));
  const sections = operationsIn(document, name).map(([path, operation]) =>
    operationSection(document, path, operation, examples.get(path)),
  );
  return html`<h2 id="${name.toLowerCase()}-group">${name}</h2>
<p>${prose(description)}</p>
${sections}`;
}

function headerList({ components }: OpenApi): Markup {
  const items = Object.entries(components.headers).map(
    ([name, { description, example }]) =>
      html`<dt><code>${name}</code></dt><dd>${prose(description)} <span class="example">${String(example)}</span></dd>
`,
  );
  return html`<dl class="headers">${items}</dl>`;
}
