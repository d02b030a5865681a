// The walks of CONTRIBUTING.md are the files that run: traced in a started server, over SQLite.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { BOTH, DOCUMENT, toldFiles, traceWalks, withWalk } from './walks.ts';

const STALE = 'CONTRIBUTING.md lists other files: run `npm run walks`';

test('each walk lists every file that the request runs through, and no other', async () => {
  const walks = await traceWalks();
  const text = readFileSync(DOCUMENT, 'utf8');
  const both = toldFiles(text, BOTH);
  assert.ok(both.length > 5, STALE);
  for (const { name, always, ever } of walks) {
    const own = toldFiles(text, name);
    const told = [...both, ...own];
    assert.equal(new Set(told).size, told.length, `a file stands in two lists of ${name}`);
    const missing = always.filter((file) => !told.includes(file));
    assert.deepEqual(missing, [], `${STALE} (these are missing in ${name})`);
    const tooMany = told.filter((file) => !ever.includes(file));
    assert.deepEqual(tooMany, [], `${STALE} (these do not run in ${name})`);
  }
  const [password, encrypt] = walks;
  for (const file of ['plugins/auth/login.ts', 'actors/password/password.actor.ts', 'actors/session/session.actor.ts'])
    assert.ok(password?.always.includes(file), file);
  for (const file of ['kernel/listener/conversation.ts', 'actors/kmip/operations/encrypt.ts', 'kmip/ttlv/binary.ts'])
    assert.ok(encrypt?.always.includes(file), file);
});

test('each line of a walk tells the job of its file', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  for (const name of [BOTH, 'password', 'encrypt']) assert.equal(withWalk(text, { name, always: toldFiles(text, name) }), text, STALE);
});

test.run();
