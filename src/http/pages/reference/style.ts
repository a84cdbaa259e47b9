/** The stylesheet of the reference page. */
export const style = `:root {
  --ink: #1d1b24; --soft: #5d5869; --paper: #fdfcfa; --panel: #f4f1ec; --line: #e0dbd2; --accent: #a8322d; --code: #2b2836;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #ece8e1; --soft: #aba4b5; --paper: #17151c; --panel: #211e28; --line: #383341; --accent: #ff9d8a; --code: #ddd6ea;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible, pre:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .75rem; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding: .75rem clamp(1rem, 4vw, 2.5rem); border-bottom: 1px solid var(--line); }
header p { margin: 0; }
.name a { font-weight: 700; color: var(--ink); text-decoration: none; }
.name span { color: var(--accent); margin-right: .2em; }
.links { display: flex; gap: 1.25rem; }
.columns { max-width: 76rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem; }
nav { font-size: .9rem; padding-top: 1.25rem; }
nav h2 { margin: 1rem 0 .25rem; font-size: .75rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
nav a { display: inline-block; padding: .15rem 0; color: var(--ink); text-decoration: none; }
nav a:hover { color: var(--accent); text-decoration: underline; }
main { min-width: 0; padding-top: 1rem; }
h1 { margin: 1rem 0 .25rem; font-size: clamp(1.8rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em; }
h2 { line-height: 1.25; }
main h2 { margin: 3.5rem 0 .25rem; font-size: 1.6rem; }
h3 { margin: 0; font-size: 1.1rem; line-height: 1.4; overflow-wrap: anywhere; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1.5rem 0 .35rem; font-size: .85rem; color: var(--soft); }
main p { max-width: 46rem; margin: .6rem 0; }
.lead { font-size: 1.15rem; color: var(--soft); }
.version, .example { font-size: .8rem; color: var(--soft); }
.version { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .6rem; white-space: nowrap; }
.example { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.operation, .schema { margin-top: 1.75rem; padding: clamp(1rem, 3vw, 1.75rem); border: 1px solid var(--line); border-radius: .75rem; }
.operation:target, .schema:target { border-color: var(--accent); }
.schema { padding: 1.1rem clamp(1rem, 3vw, 1.75rem); }
.method { color: var(--accent); font-size: .8rem; font-weight: 700; letter-spacing: .06em; margin-right: .35rem; }
.note { display: inline-block; background: var(--panel); border-left: 3px solid var(--accent); padding: .25rem .75rem; }
code, pre { font: .875em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--code); }
p code, td code, dd code { overflow-wrap: anywhere; }
pre { margin: .35rem 0 .75rem; padding: .85rem 1rem; background: var(--panel); border-radius: .5rem; overflow-x: auto; font-size: .85rem; }
pre code { font-size: inherit; }
.call { white-space: pre-wrap; overflow-wrap: anywhere; }
.call code { user-select: all; -webkit-user-select: all; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-size: .8rem; font-weight: 500; color: var(--soft); padding-bottom: .2rem; }
tbody th { font-weight: 500; white-space: nowrap; }
td:last-child { width: 55%; padding-right: 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--accent); padding: .15rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: .25rem 0; font-size: .9rem; max-width: 50rem; }
dt { font-variant-numeric: tabular-nums; font-weight: 600; }
dd { margin: 0; }
.message { max-width: 44rem; margin: 0 auto; padding: clamp(3rem, 16vh, 9rem) clamp(1rem, 4vw, 2.5rem) 4rem; }
.status { color: var(--accent); font-weight: 700; letter-spacing: .12em; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; padding: 1.25rem 0; }
.actions a { padding: .55rem 1.2rem; border: 1px solid var(--line); border-radius: .5rem; text-decoration: none; }
.actions a:hover { border-color: var(--accent); }
.actions a:first-child { background: var(--accent); border-color: var(--accent); color: var(--paper); font-weight: 600; }
@media (max-width: 63.99rem) {
  nav .aside { display: none; }
}
@media (max-width: 40rem) {
  table, tbody { display: block; }
  thead { position: absolute; left: -999rem; }
  tr { display: block; padding: .45rem 0; border-top: 1px solid var(--line); }
  th, td { display: inline; padding: 0 .5rem 0 0; border: 0; }
  tbody th { white-space: normal; overflow-wrap: anywhere; }
  td:nth-child(2) { color: var(--soft); }
  td:last-child { display: block; width: auto; }
  dl.headers { grid-template-columns: 1fr; gap: 0; }
  dl.headers dd { margin-bottom: .6rem; }
}
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3.5rem; }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-bottom: 2rem; align-self: start; }
  nav ul { display: block; }
}
`;
