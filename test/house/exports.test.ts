// What a file exports, another imports: an export that nobody uses is dead code, or misleads about who depends on it. Types are left out, and classes, which are types too.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyNode, ExportNamedDeclaration, Identifier, ImportDeclaration, Literal, Pattern } from 'acorn';
import { test } from 'uvu';
import { read, SOURCES, TESTS, treeOf, walk } from './sources.ts';

const OTHERS = globSync('{bench,soak}/**/*.ts', { cwd: fileURLToPath(new URL('../..', import.meta.url)) }).sort();

/** Names that a file exports, or that it imports from others as `file name`; `*` stands for all names. */
interface Names {
  readonly exported: readonly string[];
  readonly imported: readonly string[];
}

function namesOf(file: string, text = read(file)): Names {
  const exported: string[] = [];
  const imported: string[] = [];
  const from = (source: AnyNode | null | undefined, names: readonly string[]) => {
    const path = (source as Literal | null | undefined)?.value;
    if (typeof path !== 'string' || !path.startsWith('.')) return;
    for (const name of names) imported.push(`${normalize(join(dirname(file), path))} ${name}`);
  };
  walk(treeOf(text), (node) => {
    if (node.type === 'ImportDeclaration') from(node.source, node.specifiers.map(importedName));
    if (node.type === 'ImportExpression' || node.type === 'ExportAllDeclaration') from(node.source, ['*']);
    if (node.type !== 'ExportNamedDeclaration') return;
    const listed = node.specifiers.map(({ local }) => (local as Identifier).name);
    if (node.source) from(node.source, listed);
    else exported.push(...listed, ...declared(node));
  });
  return { exported, imported };
}

function importedName(specifier: ImportDeclaration['specifiers'][number]): string {
  if (specifier.type === 'ImportSpecifier') return (specifier.imported as Identifier).name;
  return specifier.type === 'ImportNamespaceSpecifier' ? '*' : 'default';
}

function declared({ declaration }: ExportNamedDeclaration): string[] {
  if (!declaration || declaration.type === 'ClassDeclaration') return [];
  return declaration.type === 'VariableDeclaration' ? declaration.declarations.flatMap(({ id }) => bound(id)) : [declaration.id.name];
}

function bound(pattern: Pattern): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap((each) => (each ? bound(each) : []));
  return pattern.type === 'ObjectPattern' ? pattern.properties.flatMap((each) => (each.type === 'Property' ? bound(each.value) : [])) : [];
}

function unused(files: ReadonlyMap<string, Names>): string[] {
  const used = new Set([...files.values()].flatMap(({ imported }) => imported));
  const exports = [...files].flatMap(([file, { exported }]) => exported.map((name) => ({ file, name })));
  return exports.filter(({ file, name }) => !used.has(`${file} ${name}`) && !used.has(`${file} *`)).map(({ file, name }) => `${file} ${name}`);
}

/** It stands in for a module of the server, with all that this exports. */
const STAND_IN = 'bench/fakes/no-spans.ts';

test('another file imports what a file exports', () => {
  const files = new Map([...SOURCES, ...TESTS, ...OTHERS].map((file) => [file, namesOf(file)]));
  assert.ok([...files.values()].flatMap(({ exported }) => exported).length > 2_000);
  assert.deepEqual(
    unused(files).filter((each) => !each.startsWith(STAND_IN)),
    [],
    'delete these, or export them no more',
  );
});

test('this rule sees what breaks it', () => {
  const made = (texts: Readonly<Record<string, string>>) => unused(new Map(Object.entries(texts).map(([file, text]) => [file, namesOf(file, text)])));
  const a = 'export const one = 1, { two, other: [three] } = {};\nexport function four() {}\nexport type Five = 5;\nconst six = 6;\nexport { six };\n';
  assert.deepEqual(made({ 'x/a.ts': a }), ['x/a.ts one', 'x/a.ts two', 'x/a.ts three', 'x/a.ts four', 'x/a.ts six']);
  assert.deepEqual(made({ 'x/a.ts': a, 'x/b.ts': "import { one, type Five, four as own } from './a.ts';\nexport { two } from './a.ts';\n" }), [
    'x/a.ts three',
    'x/a.ts six',
  ]);
  for (const all of ["import * as all from '../x/a.ts';", "export * from '../x/a.ts';", "const all = await import('../x/a.ts');"])
    assert.deepEqual(made({ 'x/a.ts': a, 'y/b.ts': all }), [], all);
});

test.run();
