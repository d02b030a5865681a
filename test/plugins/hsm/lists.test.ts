// Lists of the keys of a token that are slow, or that trip over a key: a search finds all the others, at once or the next time.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, startFaulty } from './faulty-server.ts';
import { bytes, done, enumeration, identifier, integer, kmip, makeSecret, PIN, parameters } from './hsm-server.ts';

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

  test('a key whose length the token does not tell hides no other key, and is used', async () => {
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
    const key = identifier(ids[0] as string);
    assert.match((await kmip(faulty.admin, 'GetAttributes', key)).text, /"CryptographicLength","type":"Integer","value":0\b/);
    const [data, iv] = [bytes('Data', 'AA'.repeat(16)), bytes('IVCounterNonce', 'BB'.repeat(16))];
    const how = parameters(enumeration('BlockCipherMode', 'CBC'));
    const { Data: sealed = '' } = await done(kmip(faulty.admin, 'Encrypt', key, how, data, iv));
    assert.equal((await done(kmip(faulty.admin, 'Decrypt', key, how, bytes('Data', sealed), iv)))['Data'], 'AA'.repeat(16));
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

  test('keys that a search finds between two pages of another one move nothing from page to page', async () => {
    const faulty = await startFaulty('');
    for (const name of ['second', 'third']) await done(makeSecret(faulty.admin, faulty.ids(name)[0]));
    const before = await located(faulty);
    const page = async (offset: number) => {
      const found = await done(kmip(faulty.admin, 'Locate', integer('OffsetItems', offset), integer('MaximumItems', 2)));
      return [found['LocatedItems'], ...found.all('UniqueIdentifier')];
    };
    const first = await page(0);
    for (const name of ['new', 'newer']) faulty.hsm.tool(faulty.slot, `aes('${name}')`);
    assert.deepEqual(
      [first, await page(2)],
      [
        [4, ...before.slice(0, 2)],
        [4, ...before.slice(2)],
      ],
    );
    assert.equal((await page(0))[0], 6);
  });
}

function away(): void {
  test('a search after the start finds the keys of an instance whose library hangs', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('one', PIN);
    const library = faultLibrary(hsm.folder, 'lists');
    const dataDir = temporaryFolder();
    const config = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\nprobe_seconds = 1\nlibrary = "${library.path}"\n`;
    const id = `hsm::soft_hsm::${slot}::kept`;
    const first = await startServer({ dataDir, config });
    let cookie = await signInAdmin(first);
    const as = (server: TestServer) => ((method: 'POST', path: string, options: object) => server.ask(method, path, { cookie, ...options })) as never;
    await until(async () => (await makeSecret(as(first), id)).status === 200, 'the key is made', 20_000);
    await first.stop();
    library.tell('hang');
    const second = await startServer({ dataDir, config });
    cookie = (await second.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
    assert.deepEqual((await done(kmip(as(second), 'Locate'))).all('UniqueIdentifier'), [id]);
    const shown = await done(kmip(as(second), 'GetAttributes', identifier(id)));
    assert.equal(shown['UniqueIdentifier'], id);
    library.tell(undefined);
    await second.end();
    hsm.end();
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  lists();
  away();
  test.after.each(endFaulty);
  test.run();
}
