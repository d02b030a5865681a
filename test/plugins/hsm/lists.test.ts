// Lists of the keys of a token that are slow, or that trip over a key: a search finds all the others, at once or the next time.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, startFaulty } from './faulty-server.ts';
import { done, identifier, kmip } from './hsm-server.ts';

const located = async ({ admin }: Faulty) => (await done(kmip(admin, 'Locate'))).all('UniqueIdentifier');

function lists(): void {
  test('a key whose attributes the token does not tell hides no other key of the token', async () => {
    const faulty = await startFaulty('');
    for (const name of ['before', 'damaged', 'after']) faulty.hsm.tool(faulty.slot, `aes('${name}')`);
    const [before, damaged, after] = ['before', 'damaged', 'after'].map((name) => faulty.ids(name)[0]) as [string, string, string];
    faulty.library.tell('unreadable damaged');
    const found = await located(faulty);
    assert.ok(found.includes(before) && found.includes(after), found.join());
    assert.ok(!found.includes(damaged));
    faulty.library.tell(undefined);
    assert.ok((await located(faulty)).includes(damaged));
  });

  test('a key whose length the token does not know hides no other key, and is of no length', async () => {
    const faulty = await startFaulty('');
    for (const name of ['long', 'other']) faulty.hsm.tool(faulty.slot, `aes('${name}')`);
    const ids = ['long', 'other'].map((name) => faulty.ids(name)[0]);
    faulty.library.tell('unknown-length');
    const found = await located(faulty);
    assert.ok(
      ids.every((id) => found.includes(id)),
      found.join(),
    );
    faulty.library.tell(undefined);
    assert.match((await kmip(faulty.admin, 'GetAttributes', identifier(ids[0] as string))).text, /"CryptographicLength","type":"Integer","value":0\b/);
  });

  test('a token that lists its keys for longer than a search waits: a later search has them', async () => {
    const faulty = await startFaulty('');
    faulty.hsm.tool(faulty.slot, "aes('slowly')");
    const [slowly] = faulty.ids('slowly');
    // A list has three searches, one for each class of keys.
    faulty.library.tell('search 1000');
    assert.ok(!(await located(faulty)).includes(slowly));
    await until(async () => (await located(faulty)).includes(slowly), 'it is found', 20_000);
    faulty.library.tell(undefined);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  lists();
  test.after.each(endFaulty);
  test.run();
}
