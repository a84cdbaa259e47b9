/** What search engines and link previews read: the title, the description, and the tags of Open Graph and Twitter. */
import { html, type Markup } from '../reference/markup.ts';

export interface Preview {
  title: string;
  description: string;
  picture: Picture | undefined;
}

export interface Picture {
  /** Absolute, for crawlers. */
  url: string;
  width: number;
  height: number;
  mimetype: string;
  alt: string;
}

/** Without a preview, the tags tell nothing but the name of the site. */
export function headTags(siteName: string, preview?: Preview): Markup {
  const { title, description, picture } = preview ?? {
    title: siteName,
    description: 'Browse an image catalogue.',
    picture: undefined,
  };
  return html`<title>${preview ? `${title} · ${siteName}` : title}</title>
<meta name="description" content="${description}">
<meta property="og:site_name" content="${siteName}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">
${picture ? pictureTags(picture) : ''}`;
}

function pictureTags({ url, width, height, mimetype, alt }: Picture): Markup {
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="${mimetype}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${alt}">
`;
}
