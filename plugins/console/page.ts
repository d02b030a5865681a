// The routes of the page /console: the page, its modules and the libraries that it loads. They are open to whoever has a session.
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pageFile } from '../../kernel/http/answer/page-file.ts';
import type { Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import { MODULES } from './modules.ts';

const PAGE = '/console';
const CSS = 'text/css; charset=utf-8';
const JS = 'text/javascript; charset=utf-8';
const own = (name: string) => new URL(`page/${name}`, import.meta.url);

/** A file of a package, served as it was published. @param path below the folder of the package */
function packageFile(name: string, path: string): URL {
  return pathToFileURL(join(dirname(findPackageJSON(name, import.meta.url) as string), path));
}

/** The first has what all pages of the server have in common; the others come behind it. */
const STYLES = ['console.css', 'work.css', 'parts.css', 'drawn.css'] as const;
/** Modules that import nothing, so browsers load them without a build step. */
const LIBRARIES = [
  { path: 'lib/lit-html.js', file: packageFile('lit-html', 'lit-html.js'), type: JS },
  { path: 'lib/uplot.js', file: packageFile('uplot', 'dist/uPlot.esm.js'), type: JS },
  { path: 'lib/uplot.css', file: packageFile('uplot', 'dist/uPlot.min.css'), type: CSS },
  { path: 'lib/lean-qr.js', file: packageFile('lean-qr', 'index.mjs'), type: JS },
] as const;

export function pageRoutes(): readonly Route[] {
  return [
    file(PAGE, own('console.html'), 'text/html; charset=utf-8', { summary: 'The console', page: true }),
    ...STYLES.map((name) => file(`${PAGE}/${name}`, own(name), CSS, { asset: true })),
    ...MODULES.map((name) => file(`${PAGE}/${name}`, own(name), JS, { asset: true })),
    ...LIBRARIES.map(({ path, file: at, type }) => file(`${PAGE}/${path}`, at, type, { asset: true })),
  ];
}

function file(path: string, at: URL, type: string, more: Pick<Route, 'summary' | 'page' | 'asset'>): Route {
  return {
    ...{ method: 'GET', path, auth: ['cookie'], tag: 'Console', ...more },
    responses: { 200: { description: 'the file', type, schema: Type.String() }, 304: { description: 'the file has not changed' } },
    handle: pageFile(at, type, at.href !== own('console.css').href),
  };
}
