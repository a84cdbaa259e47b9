/** A temporary folder that goes away with the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zukan-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
