/** The files .zukanignore of a folder that is imported, each read once. */
import { lstatSync } from 'node:fs';
import { join, sep } from 'node:path';
import { withSubject } from '../records/problems.ts';
import { decodeText } from '../sidecar/read.ts';
import { readInside } from './files.ts';
import { checkRules, type IgnoreRule, isIgnored, isJunk, parseRule, parseRules } from './ignore.ts';

export const IGNORE_FILE = '.zukanignore';
const MAX_BYTES = 64 * 1024;

export class IgnoreFiles {
  readonly #root: string;
  readonly #excluded: IgnoreRule[];
  /** Those that apply in each folder. */
  readonly #rules = new Map<string, IgnoreRule[]>();

  /** `exclude` has rules for the whole folder, which count more than those of files. */
  constructor(root: string, exclude: readonly string[]) {
    this.#root = root;
    this.#excluded = checkRules(exclude.map((glob) => parseRule(glob)));
  }

  /** Throws a `RecordError` if a file cannot be read: what it names must not be published. */
  async rulesIn(folder: string[]): Promise<IgnoreRule[]> {
    const key = folder.join(sep);
    const known = this.#rules.get(key);
    if (known) return known;
    const outer = folder.length > 0 ? await this.rulesIn(folder.slice(0, -1)) : this.#excluded;
    const own = await this.#read(folder);
    // Rules of outer folders come first, and those of the command line last.
    const files = outer.slice(0, outer.length - this.#excluded.length);
    const rules = own.length > 0 ? checkRules([...files, ...own, ...this.#excluded]) : outer;
    this.#rules.set(key, rules);
    return rules;
  }

  /** Whether an import leaves a file alone, or a folder that it is in. Not if that cannot be found out. */
  async isIgnored(path: string): Promise<boolean> {
    const names = path.split(sep);
    for (let end = 1; end <= names.length; end++) {
      if (isJunk(names[end - 1] as string)) return true;
      const rules = await this.rulesIn(names.slice(0, end - 1)).catch(() => []);
      if (isIgnored(rules, names.slice(0, end), end < names.length)) return true;
    }
    return false;
  }

  async #read(folder: string[]): Promise<IgnoreRule[]> {
    const path = join(...folder, IGNORE_FILE);
    if (!lstatSync(join(this.#root, path), { throwIfNoEntry: false })) return [];
    const bytes = await readInside(this.#root, path, MAX_BYTES);
    return withSubject(path, () => parseRules(decodeText(bytes), folder));
  }
}
