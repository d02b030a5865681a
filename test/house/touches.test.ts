// What nodes cache: every statement that changes or deletes such rows stands behind a touch of their version counter, in the same function.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { read, SOURCES } from './sources.ts';

const CACHED = /\b(?:UPDATE|DELETE FROM) (?:session|app_token|kms_object|kms_grant|\$\{table\})\b/;
/** Statements that nobody has to hear of, each with the reason. */
const UNHEARD: Readonly<Record<string, string>> = {
  'actors/session/rows.ts UPDATE session SET seen_at': 'the last use: every node keeps its own and writes it',
  'actors/session/rows.ts DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ${EXPIRED}': 'expired sessions, which every node refuses by itself',
  'actors/token/tokens.ts DELETE FROM app_token WHERE digest IN (SELECT digest FROM app_token WHERE expires_at':
    'expired tokens, which every node refuses by itself',
  'actors/kmip/object/rows/row-adoption.ts UPDATE kms_object SET seal': 'MACs for the same content, before the key server serves anybody',
  'actors/kmip/object/rows/row-adoption.ts UPDATE kms_grant SET mac': 'the same',
};
/** Lines of a function at most. */
const NEAR = 40;

test('changes of what is cached are told to the other nodes, by whoever writes the rows', () => {
  const used = new Set<string>();
  const untold: string[] = [];
  let told = 0;
  for (const file of SOURCES.filter((each) => each.startsWith('actors/'))) {
    const lines = read(file).split('\n');
    lines.forEach((line, at) => {
      if (!CACHED.test(line)) return;
      const known = Object.keys(UNHEARD).find((each) => each.startsWith(`${file} `) && line.includes(each.slice(file.length + 1)));
      if (known) used.add(known);
      else if (isTouched(lines, at)) told += 1;
      else untold.push(`${file}:${at + 1} ${line.trim()}`);
    });
  }
  assert.deepEqual(untold, [], 'call tx.touch or tx.touchAll in the function that writes');
  assert.deepEqual([...used].sort(), Object.keys(UNHEARD).sort());
  assert.ok(told >= 12, `${told}`);
});

/** Whether the function around this line touches a counter. */
function isTouched(lines: readonly string[], at: number): boolean {
  const begin = lines.findLastIndex(
    (line, index) => index <= at && index > at - NEAR && /^(?: {2})?(?:export )?(?:async )?(?:function )?#?\w+(?:<\w+>)?\(.*\{$/.test(line),
  );
  const end = lines.findIndex((line, index) => index >= at && /^(?: {2})?\}/.test(line));
  return lines.slice(begin, end).some((line) => /\btx\.touch(?:All)?\(/.test(line));
}

test.run();
