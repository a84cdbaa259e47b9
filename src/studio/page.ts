/** The page of the studio, and the pages before and instead of it. */
import { MARK, readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../assets/browser-files.ts';

export const HTML = 'text/html; charset=utf-8';

export interface PageFile {
  type: string;
  text: string;
}

/** `index.html` names the stylesheets. They are sent as they are: nothing of this leaves the machine. */
export async function readPage(): Promise<Map<string, PageFile>> {
  const { readScripts, textOf } = await readBrowserFiles('studio');
  const [script = ''] = await readScripts();
  const page = textOf('web/studio/index.html').replace('{{mark}}', MARK);
  const styles = Array.from(
    `${page}${signInPage('').text}`.matchAll(/\/assets\/([\w-]+\.css)/g),
    ([, name]) => name as string,
  );
  return new Map<string, PageFile>([
    ['index.html', { type: HTML, text: page }],
    ['main.js', { type: SCRIPT_TYPE, text: script }],
    ['icon.svg', { type: 'image/svg+xml', text: textOf('web/icon.svg') }],
    ...styles.map((name): [string, PageFile] => [
      name,
      { type: STYLE_TYPE, text: textOf(`web/studio/${name}`) || textOf(`web/${name}`) },
    ]),
  ]);
}

const frame = (head: string, body: string): PageFile => ({
  type: HTML,
  text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${head}<title>zukan studio</title>
<link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/assets/style.css"></head>
<body><main>${body}</main></body></html>
`,
});

/**
 * Replaces the address with the secret. A redirect would not do: after a click on another site, the browser sends no
 * SameSite cookie with it.
 */
export const openedPage = frame(
  '<meta http-equiv="refresh" content="0;url=/">',
  '<p>Opening the studio…</p>',
);

export const refusedPage = frame(
  '',
  `<h1>This address does not work</h1>
<p>The address of the studio works once, in one browser. For a new one, press Enter in the terminal where
<code>zukan studio</code> runs, or start it again.</p>`,
);

/** Works without a script. The message says what was wrong. */
export const signInPage = (message: string): PageFile =>
  frame(
    `<link rel="stylesheet" href="/assets/controls.css"><link rel="stylesheet" href="/assets/sign-in.css">`,
    `<h1>zukan studio</h1>
<form method="post" action="/sign-in">
<label class="field"><span>Name</span><input name="name" autocomplete="username" autocapitalize="none" required autofocus></label>
<label class="field"><span>Password</span><input name="password" type="password" autocomplete="current-password" required></label>
<p role="alert">${message}</p>
<button class="button strong">Sign in</button>
</form>
<p class="quiet">You came by a link, and are signed in already? <a href="/">Open the studio</a></p>`,
  );
