// The sources as the rules of the house see them: files, lines, functions with their length, imports, and titles of tests.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyNode, type Function as FunctionNode, type Identifier, parse } from 'acorn';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths from the root of the repository: what the server is made of. */
export const SOURCES: readonly string[] = globSync('{main.ts,model.ts,{client,command,kernel,kmip,crypto,jose,text,plugins,actors,packaging}/**/*.ts}', {
  cwd: root,
}).sort();
export const TESTS: readonly string[] = globSync('test/**/*.ts', { cwd: root }).sort();

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Lines of a file, without the end of its last one. */
export const linesOf = (file: string): number => read(file).replace(/\n$/, '').split('\n').length;

export interface FunctionLength {
  readonly file: string;
  /** Its own name, or that of the variable, property or class that holds it; `(line 12)` where there is none. */
  readonly name: string;
  readonly lines: number;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Blanking the types keeps every line where it is. */
export function treeOf(text: string): AnyNode {
  return parse(stripTypeScriptTypes(text, { mode: 'strip' }), { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true });
}

/** Calls `visit` with every node and those above it, the nearest last. */
export function walk(node: AnyNode, visit: (node: AnyNode, above: readonly AnyNode[]) => void, above: readonly AnyNode[] = []): void {
  visit(node, above);
  const inside = [...above, node];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && typeof child.type === 'string') walk(child as AnyNode, visit, inside);
}

export function functionsOf(file: string, text = read(file)): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  walk(treeOf(text), (node, above) => {
    if (!FUNCTIONS.has(node.type) || !node.loc) return;
    const lines = node.loc.end.line - node.loc.start.line + 1;
    found.push({ file, name: nameOf(node as FunctionNode, above) ?? `(line ${node.loc.start.line})`, lines });
  });
  return found;
}

function nameOf(node: FunctionNode, above: readonly AnyNode[]): string | undefined {
  if (node.id) return node.id.name;
  const holder = above.at(-1);
  if (holder?.type === 'VariableDeclarator') return (holder.id as Identifier).name;
  if (holder?.type === 'Property' || holder?.type === 'MethodDefinition' || holder?.type === 'PropertyDefinition') return keyName(holder.key as AnyNode);
  // The factory of an actor, a machine or a plugin, handed to what defines it.
  return holder?.type === 'CallExpression' && holder.callee.type === 'Identifier' ? `${holder.callee.name}()` : undefined;
}

const keyName = (key: AnyNode): string | undefined => (key.type === 'Identifier' || key.type === 'PrivateIdentifier' ? key.name : undefined);

export interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

/** Imports of other sources. An import whose every name is marked `type` is gone at run time, but loads the file. */
export const IMPORTS: readonly Import[] = SOURCES.flatMap((file) =>
  [...read(file).matchAll(/^(?:import|export) (type )?(?:[^'";]*? from )?'(\.[^']+)';|import\('(\.[^']+)'\)/gm)].map(([, type, from, dynamic]) => ({
    file,
    target: normalize(join(dirname(file), (from ?? dynamic) as string)),
    typeOnly: type !== undefined,
  })),
);

/** The groups of a directed graph whose members reach each other, each sorted; single ones are left out. Tarjan's algorithm. */
export function circles(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (name: string): void => {
    index.set(name, index.size);
    low.set(name, index.get(name) as number);
    stack.push(name);
    for (const next of edges.get(name) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(name, Math.min(low.get(name) as number, low.get(next) as number));
    }
    if (low.get(name) !== index.get(name)) return;
    const members = stack.splice(stack.indexOf(name));
    if (members.length > 1) found.push(members.sort());
  };
  for (const name of edges.keys()) if (!index.has(name)) visit(name);
  return found;
}

export function graph(pairs: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const [from, to] of pairs) if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return edges;
}

/** The titles of the tests of a file: the first argument of `test(...)` where it is a text, however it is quoted. */
export function titlesOf(text: string): readonly string[] {
  const found: string[] = [];
  walk(treeOf(text), (node) => {
    if (node.type !== 'CallExpression' || node.callee.type === 'Super') return;
    const callee = node.callee.type === 'MemberExpression' ? node.callee.object : node.callee;
    if (callee.type !== 'Identifier' || callee.name !== 'test') return;
    const [title] = node.arguments;
    if (title?.type === 'Literal' && typeof title.value === 'string') found.push(title.value);
    if (title?.type === 'TemplateLiteral') found.push(title.quasis.map(({ value }) => value.cooked).join('…'));
  });
  return found;
}
