/** Takes out of a backup for demo/ what belongs to one site: its identity, keys, tokens, history and what it has blocked. */
import { hash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { FILES, type ListName, MANIFEST, parseManifest } from '../src/backup/format.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../demo');
const { catalogue: _, ...manifest } = parseManifest(readFileSync(join(folder, MANIFEST), 'utf8'));
const pathOf = (name: ListName) => join(folder, manifest.folder, name);
const records = readFileSync(pathOf('catalogue.ndjson'), 'utf8').replaceAll(
  /^\{"type":"(?:blocked|removed)".*\n/gm,
  '',
);

function replace(name: ListName, text: string) {
  writeFileSync(pathOf(name), text);
  return { size: Buffer.byteLength(text), sha256: hash('sha256', text) };
}

const lists = {
  'catalogue.ndjson': replace('catalogue.ndjson', records),
  'history.ndjson': replace('history.ndjson', ''),
  'sources.ndjson': replace('sources.ndjson', ''),
  'tokens.ndjson': replace('tokens.ndjson', ''),
  'link.keys': replace('link.keys', ''),
};
rmSync(join(folder, '.lock'), { force: true });
const counts = { ...manifest.counts, tokens: 0, changes: 0, trash: 0, sources: 0 };
writeFileSync(join(folder, MANIFEST), `${JSON.stringify({ ...manifest, counts, lists }, null, 2)}\n`);

for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const isPicture = entry.isFile() && path.startsWith(join(folder, FILES));
  // A picture of the trash.
  if (isPicture && !records.includes(parse(path).name)) rmSync(path);
  // Everybody who installs the package may read it.
  else chmodSync(path, entry.isFile() ? 0o644 : 0o755);
}
