/** The reference as a page: the whole OpenAPI document, for people. */
import { endpointSection } from './endpoint.ts';
import { html, type Markup, prose } from './markup.ts';
import { shapeSection } from './shapes.ts';
import type { OpenApi } from './types.ts';

export function referencePage(document: OpenApi): string {
  const { info, components } = document;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API reference</title>
<meta name="description" content="${info.summary}">
<link rel="icon" href="/gallery/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="name"><a href="/"><span lang="ja">図鑑</span> ${info.title}</a></p>
<p class="links"><a href="/">Gallery</a> <a href="/openapi.json">openapi.json</a></p>
</header>
<div class="columns">
<nav aria-label="Endpoints">${document.tags.map(({ name }) => contents(document, name))}
<h2 class="aside">Shapes</h2>
<ul class="aside">${Object.keys(components.schemas).map((name) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
</nav>
<main id="content">
<h1>API reference</h1>
<p class="lead">${info.summary} <span class="version">v${info.version}</span></p>
<p>It answers under ${document.servers.map(({ url }, index) => html`${index === 0 ? '' : ' and '}<code>${url}</code>`)}.</p>
${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>\n`)}
${document.tags.map((tag) => group(document, tag))}
<h2 id="headers">Headers of answers</h2>
${headerList(document)}
<h2 id="shapes">Shapes</h2>
${Object.entries(components.schemas).map(([name, schema]) => shapeSection(name, schema))}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

function operationsOf({ paths }: OpenApi, tag: string) {
  return Object.entries(paths).filter(([, { get }]) => get.tags.includes(tag));
}

function contents(document: OpenApi, tag: string): Markup {
  const items = operationsOf(document, tag).map(
    ([path, { get }]) => html`<li><a href="#${get.operationId}"><code>${path}</code></a></li>\n`,
  );
  return html`
<h2>${tag}</h2>
<ul>${items}</ul>`;
}

function group(document: OpenApi, { name, description }: { name: string; description: string }): Markup {
  const sections = operationsOf(document, name).map(([path, { get }]) =>
    endpointSection(document, path, get),
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
