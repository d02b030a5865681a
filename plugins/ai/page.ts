// The routes of the page /ai: the page and its files. It uses the other routes of the AI runner, with the rights of whoever is signed in.
import { pageFile } from '../../kernel/http/answer/page-file.ts';
import type { Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { Access } from './access.ts';

const PAGE = '/ai';
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;
/** The modules of the page, which the browser loads one by one, and the style sheet. */
const FILES = ['ai.css', 'ai.js', 'ask.js', 'documents.js', 'streamed.js'] as const;

/** @param access of all routes of the AI runner */
export function pageRoutes(access: Access): readonly Route[] {
  const file = (path: string, name: string, type: string, more: Pick<Route, 'summary' | 'page' | 'asset'>): Route => ({
    ...{ method: 'GET', path, ...access, tag: 'AI runner', ...more },
    responses: { 200: { description: 'the file', type, schema: Type.String() }, 304: { description: 'the file has not changed' } },
    handle: pageFile(new URL(`page/${name}`, import.meta.url), type),
  });
  return [
    file(PAGE, 'ai.html', 'text/html; charset=utf-8', { summary: 'The page of the AI runner', page: true }),
    ...FILES.map((name) => file(`${PAGE}/${name}`, name, TYPES[name.endsWith('.css') ? 'css' : 'js'], { asset: true })),
  ];
}
