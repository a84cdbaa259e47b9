/** Maps paths to targets. A path has at most one parameter, in braces. */
import { decodeEscapes } from './query-string.ts';

interface Match<T> {
  target: T;
  /** The value of the parameter; empty if the path has none. */
  parameter: string;
}

interface Pattern<T> {
  prefix: string;
  suffix: string;
  target: T;
}

export class Router<T> {
  readonly #exact = new Map<string, T>();
  readonly #patterns: Pattern<T>[] = [];

  add(path: string, target: T): void {
    const [prefix = '', suffix] = path.split(/\{\w+\}/);
    if (suffix === undefined) this.#exact.set(path, target);
    else this.#patterns.push({ prefix, suffix, target });
  }

  /** Ignores a trailing slash. */
  find(path: string): Match<T> | undefined {
    const decoded = decodePath(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    const target = this.#exact.get(decoded);
    if (target !== undefined) return { target, parameter: '' };
    for (const { prefix, suffix, target } of this.#patterns) {
      if (!decoded.startsWith(prefix) || !decoded.endsWith(suffix)) continue;
      const parameter = decoded.slice(prefix.length, decoded.length - suffix.length);
      if (parameter !== '' && !parameter.includes('/')) return { target, parameter };
    }
    return undefined;
  }
}

/** Longer than any address, even if all of it is escaped. */
const MAX_ESCAPED_LENGTH = 1000;

/** Resolves escapes, except for escaped slashes. A path with invalid escapes, or one that is too long, stays as it is. */
export function decodePath(path: string): string {
  return path.includes('%') && path.length <= MAX_ESCAPED_LENGTH
    ? decodeEscapes(path.replaceAll(/%2f/gi, '%252F'))
    : path;
}
