// A source file as a tree: its types are blanked out at equal length, so that every position is one of the file as it is written.
import { stripTypeScriptTypes } from 'node:module';
import { parse } from 'acorn';

/** A node of ESTree: https://github.com/estree/estree. */
export interface Tree {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** @throws SyntaxError for what does not parse */
export function treeOf(source: string): Tree {
  const blanked = stripTypeScriptTypes(source, { mode: 'strip' });
  if (blanked.length !== source.length) throw new SyntaxError('positions are not those of the file');
  return parse(blanked, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Tree;
}

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string';

/** Every node with those around it, the nearest last. */
export function* walk(tree: Tree, around: readonly Tree[] = []): Generator<{ readonly node: Tree; readonly around: readonly Tree[] }> {
  yield { node: tree, around };
  const within = [...around, tree];
  for (const value of Object.values(tree)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isTree(child)) yield* walk(child, within);
  }
}
