// What may be broken in a source: conditions, boundaries, operators, statements that are left out, returned values, literals, and the words of SQL.
import type { Mutation, MutationKind } from './mutant.ts';
import { isTree, type Tree, treeOf, walk } from './source.ts';
import { sqlMutations } from './sql.ts';

const SWAPPED: Readonly<Record<string, readonly [MutationKind, string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['condition', '!=='],
  '!==': ['condition', '==='],
  '&&': ['condition', '||'],
  '||': ['condition', '&&'],
  '-': ['operator', '+'],
  '*': ['operator', '/'],
  '/': ['operator', '*'],
  '%': ['operator', '*'],
  '<<': ['operator', '>>'],
};

/** Whatever a test cannot hold: what is imported, names of members, and words for people. */
const UNTOUCHED: ReadonlySet<string> = new Set(['ImportDeclaration', 'ExportNamedDeclaration.source', 'ImportExpression']);

type Rule = (node: Tree, around: readonly Tree[], source: string) => readonly Mutation[];

const at = (kind: MutationKind, { start, end }: Tree, replacement: string): Mutation => ({ kind, start, end, replacement });
const text = (source: string, { start, end }: Tree): string => source.slice(start, end);

const RULES: Readonly<Record<string, Rule>> = {
  IfStatement: negated,
  ConditionalExpression: negated,
  WhileStatement: negated,
  BinaryExpression: swapped,
  LogicalExpression: (node, around, source) =>
    node['operator'] === '??' ? [at('condition', node, text(source, node['left'] as Tree))] : swapped(node, around, source),
  UnaryExpression: (node, _, source) => (node['operator'] === '!' ? [at('condition', node, text(source, node['argument'] as Tree))] : []),
  ExpressionStatement: leftOut,
  ReturnStatement: returned,
  ArrowFunctionExpression: (node) => (node['expression'] === true ? [at('return', node['body'] as Tree, 'undefined')] : []),
  Literal: literal,
  TemplateElement: (node, _, source) => sqlMutations(text(source, node), node.start),
};

function negated(node: Tree, _: readonly Tree[], source: string): Mutation[] {
  const condition = node['test'] as Tree;
  // A comparison has its own mutation, which is the same.
  const isSwapped = condition.type === 'BinaryExpression' && SWAPPED[String(condition['operator'])]?.[0] === 'condition';
  return isSwapped ? [] : [at('condition', condition, `!(${text(source, condition)})`)];
}

function swapped(node: Tree, _: readonly Tree[], source: string): Mutation[] {
  const [left, right] = [node['left'] as Tree, node['right'] as Tree];
  const operator = String(node['operator']);
  const [kind, other] = SWAPPED[operator] ?? [];
  if (kind === undefined || other === undefined) return [];
  const begin = left.end + source.slice(left.end, right.start).indexOf(operator);
  return [{ kind, start: begin, end: begin + operator.length, replacement: other }];
}

/** A call or an assignment that is not made; what writes the audit log is counted by itself. */
function leftOut(node: Tree, _: readonly Tree[], source: string): Mutation[] {
  const expression = node['expression'] as Tree;
  const does = expression.type === 'AwaitExpression' ? (expression['argument'] as Tree) : expression;
  if (!['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(does.type)) return [];
  // Whether a constructor of a base class is called is no question of tests.
  if (isTree(does['callee']) && does['callee'].type === 'Super') return [];
  return [at(/audit/i.test(text(source, node)) ? 'audit' : 'statement', node, '{}')];
}

function returned(node: Tree, _: readonly Tree[], source: string): Mutation[] {
  const value = node['argument'];
  if (!isTree(value) || text(source, value) === 'undefined') return [];
  return [at('return', value, 'undefined')];
}

function literal(node: Tree, around: readonly Tree[], source: string): readonly Mutation[] {
  const { value } = node;
  const parent = around.at(-1);
  const isName = parent?.['key'] === node && parent['computed'] !== true;
  if (isName || around.some(({ type }) => UNTOUCHED.has(type))) return [];
  if (typeof value === 'boolean') return [at('literal', node, String(!value))];
  if (typeof value === 'number') return [at('literal', node, String(value + 1))];
  if (typeof value === 'bigint') return [at('literal', node, `${value + 1n}n`)];
  if (typeof value !== 'string') return [];
  const sql = sqlMutations(text(source, node), node.start);
  if (sql.length > 0) return sql;
  // Words for people: which ones is no question of tests.
  return value.includes(' ') ? [] : [at('literal', node, value === '' ? "'mutated'" : "''")];
}

/** In the order of the file. @throws SyntaxError for what does not parse */
export function mutationsOf(source: string): Mutation[] {
  const found = [...walk(treeOf(source))].flatMap(({ node, around }) => RULES[node.type]?.(node, around, source) ?? []);
  return found.sort((one, other) => one.start - other.start);
}
