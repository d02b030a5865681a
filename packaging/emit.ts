// Makes JavaScript of a source: Node strips types from files of a clone, but from none below node_modules, where npm installs packages.
import { stripTypeScriptTypes } from 'node:module';
import { parse, type Token } from 'acorn';

/** A string that names a source: in an import, and for the modules of threads in `new URL('./host.ts', import.meta.url)`. */
const SOURCE = /^[\w./-]+\.ts$/;

/** Lines and columns stay, so that a stack names the places of the source. @throws Error if the name of a source is put together from parts */
export function javaScriptOf(source: string, path: string): string {
  const stripped = stripTypeScriptTypes(source);
  const tokens: Token[] = [];
  parse(stripped, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, onToken: tokens });
  let made = '';
  let at = 0;
  for (const { type, value, start, end } of tokens as readonly (Token & { readonly value?: unknown })[]) {
    if (type.label === 'template' && /\.ts$/.test(String(value))) throw new Error(`${path}: the name of a module must be one string: …${value}`);
    if (type.label !== 'string' || !SOURCE.test(String(value))) continue;
    const literal = stripped.slice(start, end);
    made += stripped.slice(at, start) + literal.replace(/\.ts(?=.$)/, '.js');
    at = end;
  }
  return made + stripped.slice(at);
}

/** @returns the path of what is made of a file */
export function emittedPath(path: string): string {
  return path.replace(/\.ts$/, '.js');
}
