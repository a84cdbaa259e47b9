/** Static analysis of patterns: simplification, minimum length and required literals. */
import { isAny, type Node } from './pattern.ts';

const empty: Node = { type: 'sequence', parts: [] };
const unmatchable: Node = { type: 'choice', options: [] };

/**
 * Simplifies a pattern for names of at most `maxLength` characters: limits repetitions to what fits and removes branches
 * that cannot match. Every repeated part in the result contains a character, so expanding the repetitions cannot take more
 * steps than there are positions.
 */
export function trim(node: Node, maxLength: number): Node {
  const trimmed = trimParts(node, maxLength);
  return minLength(trimmed) > maxLength ? unmatchable : trimmed;
}

function trimParts(node: Node, maxLength: number): Node {
  switch (node.type) {
    case 'sequence': {
      const parts = node.parts.map((part) => trim(part, maxLength)).filter((part) => !isEmpty(part));
      return parts.some(isUnmatchable) ? unmatchable : { type: 'sequence', parts };
    }
    case 'choice': {
      const options = node.options
        .map((option) => trim(option, maxLength))
        .filter((option) => !isUnmatchable(option));
      return options.length > 0 && options.every(isEmpty) ? empty : { type: 'choice', options };
    }
    case 'repeat': {
      const part = trim(node.part, maxLength);
      if (isEmpty(part) || (isUnmatchable(part) && node.min === 0)) return empty;
      const partLength = minLength(part);
      const min = partLength === 0 ? 0 : node.min;
      const mostThatFit = Math.floor(maxLength / Math.max(1, partLength));
      const isUnbounded = node.max === Number.POSITIVE_INFINITY;
      const max = isUnbounded ? node.max : Math.max(min, Math.min(node.max, mostThatFit));
      return max === 0 ? empty : { type: 'repeat', part, min, max };
    }
    default:
      return node;
  }
}

const isEmpty = (node: Node) => node.type === 'sequence' && node.parts.length === 0;
const isUnmatchable = (node: Node) => node.type === 'choice' && node.options.length === 0;

/** The length of the shortest match; infinite if nothing matches. */
export function minLength(node: Node): number {
  switch (node.type) {
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + minLength(part), 0);
    case 'choice':
      return Math.min(...node.options.map(minLength));
    case 'repeat':
      return node.min === 0 ? 0 : node.min * minLength(node.part);
    default:
      return 1;
  }
}

/** Literals that every match contains one after the other, in this order. */
export function requiredLiterals(node: Node): string[] {
  const literals: string[] = [];
  let current = '';
  const end = () => {
    if (current !== '') literals.push(current);
    current = '';
  };
  const visit = (part: Node): void => {
    if (part.type === 'character') current += part.character;
    else if (part.type === 'sequence') part.parts.forEach(visit);
    else {
      end();
      if (part.type === 'repeat' && part.min > 0) visit(part.part);
      end();
    }
  };
  visit(node);
  end();
  return literals;
}

/** The literals between the "%" of a pattern, which may be empty; undefined if the pattern contains anything else. */
export function splitAtWildcards(node: Node): string[] | undefined {
  const texts = [''];
  const visit = (part: Node): boolean => {
    if (part.type === 'sequence') return part.parts.every(visit);
    if (part.type === 'character') texts.push(texts.pop() + part.character);
    else if (isWildcard(part)) texts.push('');
    else return false;
    return true;
  };
  // Half of a surrogate pair is no character, but would be found in one.
  return visit(node) && texts.join('').isWellFormed() ? texts : undefined;
}

function isWildcard(node: Node): boolean {
  if (node.type !== 'repeat' || node.min > 0 || node.max !== Number.POSITIVE_INFINITY) return false;
  return node.part.type === 'test' && node.part.test === isAny;
}
