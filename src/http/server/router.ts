/** From paths to whatever is at them. A path has one parameter at most, in braces. */
export interface Found<T> {
  target: T;
  /** What stands for the parameter; empty where there is none. */
  parameter: string;
}

interface Pattern<T> {
  before: string;
  after: string;
  target: T;
}

export class Router<T> {
  readonly #exact = new Map<string, T>();
  readonly #patterns: Pattern<T>[] = [];

  add(path: string, target: T): void {
    const [before = '', after] = path.split(/\{\w+\}/);
    if (after === undefined) this.#exact.set(path, target);
    else this.#patterns.push({ before, after, target });
  }

  /** A slash at the end makes no difference. */
  find(path: string): Found<T> | undefined {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const plain = decode(bare);
    const target = this.#exact.get(plain);
    if (target !== undefined) return { target, parameter: '' };
    for (const { before, after, target } of this.#patterns) {
      if (!plain.startsWith(before) || !plain.endsWith(after)) continue;
      const parameter = plain.slice(before.length, plain.length - after.length);
      if (parameter !== '' && !parameter.includes('/')) return { target, parameter };
    }
    return undefined;
  }
}

/** A path with its escapes resolved, or as it is where they are broken. An escaped slash is no slash. */
export function decode(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path.replaceAll(/%2f/gi, '%252F'));
  } catch {
    return path;
  }
}
