/** The conditions of `src/`, and ways to break each: in TypeScript by its syntax tree, in SQL by its text. */
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import {
  isBinaryExpression,
  isConditionalExpression,
  isDoStatement,
  isIfStatement,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddleOrTemplateTail,
  isWhileStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { root } from './imports.ts';

export interface Mutation {
  file: string;
  /** Where the code is replaced, in UTF-16 code units. */
  start: number;
  end: number;
  replacement: string;
  /** The condition and its replacement, which stay the same when code around them changes. */
  name: string;
}

/** The ways to break each condition of `src/`. */
export function listConditions(): Mutation[][] {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProject: join(root, 'tsconfig.json') }).getProjects();
    const files = project?.rootFiles.filter((file) => file.startsWith(join(root, 'src/'))) ?? [];
    return files.flatMap((file) => readConditions(project?.program.getSourceFile(file) as SourceFile));
  } finally {
    api.close();
  }
}

/** One mutation of each condition, in an order that the seed decides and that new code does not change. */
export function chooseMutations(conditions: Mutation[][], seed: string): Mutation[] {
  const equal = new Map<string, number>();
  return conditions
    .map((ways) => {
      const names = ways.map(({ name }) => name).join();
      const turn = equal.get(names) ?? 0;
      equal.set(names, turn + 1);
      const rank = createHash('sha256').update(`${seed} ${turn} ${names}`).digest();
      return { rank, way: ways[rank.readUInt32BE(0) % ways.length] as Mutation };
    })
    .sort((a, b) => a.rank.compare(b.rank))
    .map(({ way }) => way);
}

/** The ways to break each condition of a file. */
function readConditions(source: SourceFile): Mutation[][] {
  const file = relative(root, source.fileName);
  const found: Mutation[][] = [];
  const textOf = (node: Node) => source.text.slice(node.getStart(source), node.end);
  /** Replaces a part of the text; the name of the mutation shows it together with the code around. */
  const add = (start: number, end: number, replacements: string[], from = start, to = end) => {
    const around = (middle: string) =>
      (source.text.slice(from, start) + middle + source.text.slice(end, to)).replace(/\s+/g, ' ');
    const before = around(source.text.slice(start, end));
    found.push(
      replacements.map((replacement) => ({
        ...{ file, start, end, replacement },
        name: `${file}: ${before} → ${around(replacement)}`,
      })),
    );
  };
  const replace = (node: Node, replacements: string[]) => add(node.getStart(source), node.end, replacements);
  const visit = (node: Node): void => {
    if (isIfStatement(node) || isWhileStatement(node) || isDoStatement(node)) {
      const condition = textOf(node.expression);
      const never = isIfStatement(node) && !node.elseStatement ? [`false && (${condition})`] : [];
      replace(node.expression, [`!(${condition})`, ...never]);
    } else if (isConditionalExpression(node)) {
      replace(node.condition, [`!(${textOf(node.condition)})`]);
    } else if (isBinaryExpression(node)) {
      const { left, right, operatorToken: operator } = node;
      const [a, b] = [`(${textOf(left)})`, `(${textOf(right)})`];
      const otherComparisons = comparisons[textOf(operator)];
      if (operator.kind === SyntaxKind.AmpersandAmpersandToken) replace(node, [`(${a} || ${b})`, a, b]);
      else if (operator.kind === SyntaxKind.BarBarToken) replace(node, [`(${a} && ${b})`, a, b]);
      else if (operator.kind === SyntaxKind.QuestionQuestionToken) replace(node, [a]);
      else if (otherComparisons)
        add(operator.getStart(source), operator.end, otherComparisons, node.getStart(source), node.end);
    } else if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isPartOfTemplate(node)) {
      const start = node.getStart(source);
      for (const { index, word, replacement } of readSql(textOf(node))) {
        const at = start + index;
        const to = at + word.length;
        add(at, to, [replacement], Math.max(start, at - 50), Math.min(node.end, to + 50));
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

const isPartOfTemplate = (node: Node) => isTemplateHead(node) || isTemplateMiddleOrTemplateTail(node);

/** Off by one, or the opposite. */
const comparisons: Record<string, string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};

const inSql: Record<string, string> = {
  and: 'or',
  or: 'and',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '<>': '=',
  '=': '<>',
  desc: 'asc',
  'not exists': 'exists',
  'is null': 'is not null',
  'is not null': 'is null',
  'not in': 'in',
};

/** The conditions in a text, if it is a part of an SQL statement. */
function* readSql(text: string): Generator<{ index: number; word: string; replacement: string }> {
  if (!/\b(select|where|join|order by|delete from|having) |\bexists \(|\bis (not )?null\b/.test(text)) return;
  const words = / (and|or|<=|>=|<>|<|>|=|desc|not exists|is not null|is null|not in)(?=[ ,)`']|$)/g;
  for (const { index, 1: word = '' } of text.matchAll(words)) {
    const before = text.slice(0, index);
    // `update … set a = b`, `between 1 and 2` and `create table if not exists` are no conditions.
    if (word === '=' && /\bset\b(?!.*\b(where|on|from)\b)/s.test(before)) continue;
    if (word === 'and' && /\bbetween\b[^)]{1,40}$/s.test(before)) continue;
    if (word === 'not exists' && before.endsWith(' if')) continue;
    yield { index: index + 1, word, replacement: inSql[word] as string };
  }
}
