/** What can be said of a pattern without matching it, and making it no larger than the names require. */
import type { Node } from './pattern.ts';

const empty: Node = { type: 'sequence', parts: [] };
const nothing: Node = { type: 'choice', options: [] };

/**
 * The same pattern for names of at most `longest` characters: repetitions that no such name has room for are left out,
 * and so is what can match none of them. Every repeated part that is left holds a character, so that writing
 * repetitions out is bounded by the characters written.
 */
export function trim(node: Node, longest: number): Node {
  const trimmed = trimInside(node, longest);
  return shortest(trimmed) > longest ? nothing : trimmed;
}

function trimInside(node: Node, longest: number): Node {
  switch (node.type) {
    case 'sequence': {
      const parts = node.parts.map((part) => trim(part, longest)).filter((part) => !isEmpty(part));
      return parts.some(isNothing) ? nothing : { type: 'sequence', parts };
    }
    case 'choice': {
      const options = node.options
        .map((option) => trim(option, longest))
        .filter((option) => !isNothing(option));
      return options.length > 0 && options.every(isEmpty) ? empty : { type: 'choice', options };
    }
    case 'repeat': {
      const part = trim(node.part, longest);
      if (isEmpty(part) || (isNothing(part) && node.least === 0)) return empty;
      const length = shortest(part);
      const least = length === 0 ? 0 : node.least;
      const room = Math.floor(longest / Math.max(1, length));
      const most =
        node.most === Number.POSITIVE_INFINITY ? node.most : Math.max(least, Math.min(node.most, room));
      return most === 0 ? empty : { type: 'repeat', part, least, most };
    }
    default:
      return node;
  }
}

const isEmpty = (node: Node) => node.type === 'sequence' && node.parts.length === 0;
const isNothing = (node: Node) => node.type === 'choice' && node.options.length === 0;

/** The length of the shortest match, infinite where there is none. */
export function shortest(node: Node): number {
  switch (node.type) {
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + shortest(part), 0);
    case 'choice':
      return Math.min(...node.options.map(shortest));
    case 'repeat':
      return node.least === 0 ? 0 : node.least * shortest(node.part);
    default:
      return 1;
  }
}

/** A text that every match contains, as long as can be told; empty where there is none. */
export function requiredText(node: Node): string {
  let [longest, current] = ['', ''];
  const end = () => {
    if (current.length > longest.length) longest = current;
    current = '';
  };
  const visit = (part: Node): void => {
    if (part.type === 'character') current += part.character;
    else if (part.type === 'sequence') part.parts.forEach(visit);
    else {
      end();
      if (part.type === 'repeat' && part.least > 0) visit(part.part);
      end();
    }
  };
  visit(node);
  end();
  return longest;
}
