// The style sheets of the pages: each comes behind what all pages have in common, and repeats none of it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { pageFile } from '../../../kernel/http/answer/page-file.ts';
import type { Request } from '../../../kernel/http/route.ts';

const root = new URL('../../../', import.meta.url);
const SHARED = readFileSync(new URL('kernel/http/answer/page.css', root), 'utf8');
const sheets = globSync('plugins/**/*.css', { cwd: fileURLToPath(root) });

/** @returns selector and declaration of every rule outside of media queries, one for each line of the rule */
function declarationsOf(css: string): string[] {
  const rules = css.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/@media[^{]*\{(?:[^{}]*\{[^}]*\})*\s*\}/g, '');
  return [...rules.matchAll(/([^{}]+)\{([^}]*)\}/g)].flatMap(([, selectors = '', body = '']) =>
    body.split(';').flatMap((declaration) => {
      const text = declaration.trim().replaceAll(/\s+/g, ' ');
      return text === '' ? [] : selectors.split(',').map((selector) => `${selector.trim()} { ${text} }`);
    }),
  );
}

test('every style sheet is served behind the shared one', () => {
  assert.ok(sheets.length >= 3);
  for (const sheet of sheets) {
    const { body } = pageFile(new URL(sheet, root), 'text/css')({ headers: {} } as Request);
    assert.equal(String(body), SHARED + readFileSync(new URL(sheet, root), 'utf8'), sheet);
  }
});

test('a page does not repeat what all have in common', () => {
  const common = new Set(declarationsOf(SHARED));
  assert.ok(common.has('a { color: var(--accent) }') && common.size > 30);
  for (const sheet of sheets)
    assert.deepEqual(
      declarationsOf(readFileSync(new URL(sheet, root), 'utf8')).filter((each) => common.has(each)),
      [],
      sheet,
    );
});

test.run();
