/** SVG building blocks for charts that are readable on light and dark backgrounds. */

export interface Frame {
  width: number;
  height: number;
  title: string;
  subtitle: string;
}

/** Medium lightness, visible on both backgrounds. */
export const colours = [
  '#3b82f6',
  '#e8690c',
  '#2f9e44',
  '#d6336c',
  '#9465d8',
  '#0d96a8',
  '#b8860b',
  '#7c8894',
  '#b0573a',
];

const style = `
  svg { color: #1f2328; fill: currentColor; font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
  .title { font-size: 16px; font-weight: 600; }
  .strong { font-weight: 600; }
  .faint { color: #59636e; fill: currentColor; font-size: 12px; }
  .grid { stroke: #8b949e; stroke-opacity: 0.3; }
  .mark { stroke: #d6336c; stroke-dasharray: 5 4; }
  .whisker { stroke: currentColor; stroke-width: 1.5; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
  @media (prefers-color-scheme: dark) { svg { color: #e6edf3; } .faint { color: #9da7b1; } }
`;

export function chart({ width, height, title, subtitle }: Frame, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">`,
    `<style>${style}</style>`,
    text(16, 28, title, 'class="title"'),
    text(16, 48, subtitle, 'class="faint"'),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

export function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escapeText(content)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, name: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${name}"/>`;
}

export const round = (value: number): number => Math.round(value * 10) / 10;

const escapeText = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
