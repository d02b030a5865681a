// The walks of CONTRIBUTING.md are the files that run: traced in a started server, over SQLite.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { DOCUMENT, MACHINERY_NAMES, toldFiles, traceWalks, withWalk } from './walks.ts';

const STALE = 'CONTRIBUTING.md lists other files: run `npm run walks`';

test('each walk lists every file that the request runs through, and no other', async () => {
  const walks = await traceWalks();
  const text = readFileSync(DOCUMENT, 'utf8');
  const machinery = MACHINERY_NAMES.flatMap((name) => toldFiles(text, name));
  assert.ok(machinery.length > 20, STALE);
  const lists = [...machinery, ...walks.flatMap(({ name }) => [...new Set(toldFiles(text, name))])];
  const ever = new Set(walks.flatMap((walk) => walk.ever));
  assert.deepEqual(
    lists.filter((file) => !ever.has(file)),
    [],
    `${STALE} (these do not run)`,
  );
  for (const { name, always, ever: own } of walks) {
    const told = toldFiles(text, name);
    assert.deepEqual([...machinery, ...told].length, new Set([...machinery, ...told]).size, `a file stands in two lists of ${name}`);
    assert.deepEqual(
      always.filter((file) => !machinery.includes(file) && !told.includes(file)),
      [],
      `${STALE} (these are missing in ${name})`,
    );
    assert.deepEqual(
      told.filter((file) => !own.includes(file)),
      [],
      `${STALE} (these do not run in ${name})`,
    );
  }
  const [password, encrypt] = walks;
  for (const file of ['plugins/auth/login.ts', 'actors/password/password.actor.ts', 'actors/session/session.actor.ts'])
    assert.ok(password?.always.includes(file), file);
  for (const file of ['kernel/listener/conversation.ts', 'actors/kmip/operations/encrypt.ts', 'kmip/ttlv/binary.ts'])
    assert.ok(encrypt?.always.includes(file), file);
});

test('each line of a walk tells the job of its file', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  for (const name of [...MACHINERY_NAMES, 'password', 'encrypt']) assert.equal(withWalk(text, { name, always: toldFiles(text, name) }), text, STALE);
});

test.run();
