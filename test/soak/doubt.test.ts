// Histories of two nodes: they may differ while a change is not answered, and never after it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { withoutDoubt } from '../../soak/doubt.ts';
import type { Operation } from '../../soak/history.ts';
import { check } from '../../soak/linearizability.ts';
import type { Model } from '../../soak/model.ts';
import { GRANT } from '../../soak/models/grant.ts';
import { KEY_STATE } from '../../soak/models/key-state.ts';
import { TOKEN } from '../../soak/models/revocable.ts';

type Line = readonly [called: number, answered: number, name: string, output: string | undefined];
const operationsOf = (lines: readonly Line[]): Operation[] =>
  lines.map(([called, answered, name, output], at) => ({ client: `c${at}`, called, answered, name, output }));

function assertHistory(model: Model, lines: readonly Line[], isStrict: boolean, isKept: boolean): void {
  const operations = operationsOf(lines);
  assert.deepEqual(
    [check(model, operations).isLinearizable, check(model, withoutDoubt(model, operations)).isLinearizable],
    [isStrict, isKept],
    lines.map(String).join('; '),
  );
}

test('while an end is not answered, one node may refuse and another accept afterwards', () => {
  const during: readonly Line[] = [
    [1, 10, 'end-itself', 'ended'],
    [2, 3, 'end-itself', 'refused'],
    [4, 5, 'use', 'accepted'],
    [6, 7, 'renew', 'refused'],
  ];
  assertHistory(TOKEN, during, false, true);
});

test('nothing is accepted after an end was answered, whoever looked meanwhile', () => {
  const after: readonly Line[] = [
    [1, 4, 'end', 'ended'],
    [2, 3, 'use', 'accepted'],
    [5, 6, 'use', 'accepted'],
  ];
  assertHistory(TOKEN, after, false, false);
});

test('changes have one order: a token is ended once, and a right that was taken is not there', () => {
  const twice: readonly Line[] = [
    [1, 4, 'end-itself', 'ended'],
    [2, 3, 'end-itself', 'ended'],
  ];
  assertHistory(TOKEN, twice, false, false);
  const taken: readonly Line[] = [
    [1, 2, 'grant', 'done'],
    [3, 4, 'revoke', 'done'],
    [5, 6, 'use', 'accepted'],
  ];
  assertHistory(GRANT, taken, false, false);
});

test('before a change nothing shows it, and an answer that can never be is wrong at any time', () => {
  const early: readonly Line[] = [
    [1, 2, 'use', 'refused'],
    [3, 4, 'end', 'ended'],
  ];
  assertHistory(TOKEN, early, false, false);
  const strange: readonly Line[] = [
    [1, 4, 'activate', 'done'],
    [2, 3, 'read', 'Compromised'],
  ];
  assertHistory(KEY_STATE, strange, false, false);
});

test.run();
