// The key-encryption key of the key server on a token of SoftHSM: made at the first start, used for nothing else, sealed while the token is away.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { bytes, done, identifier, kmip, makeSecret, PIN, refused } from './hsm-server.ts';

/** A key in software is not Active by itself. */
const ACTIVE = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
const DATA = Buffer.from('to be kept');
const TAKEN = /hsm::soft_hsm_1 is not accessible: the token [0-9a-f]{16} is that of slot \d+ of hsm::soft_hsm: a token belongs to one slot/;

if (!skipWithout('softhsm2')) {
  test('a key on a token wraps the data key; no instance shows or uses it; without it all is sealed', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('kek', PIN);
    const kek = `hsm::soft_hsm::${slot}::kek`;
    const dataDir = temporaryFolder();
    const config = `[keys]\nkey_encryption_key = "${kek}"\n[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\nprobe_seconds = 1\n`;
    const beside = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\nprobe_seconds = 1\n`;
    const first = await startServer({ config: config + beside, dataDir });
    let cookie = await signInAdmin(first);
    const as = (server: typeof first) => (method: string, path: string, options: object) => server.ask(method as 'POST', path, { cookie, ...options });
    await until(async () => (await as(first)('GET', '/me', {})).status === 200, 'the key server answers');
    const { UniqueIdentifier: key = '' } = await done(untilUnsealed(() => makeSecret(as(first) as never, 'in the database', ACTIVE)));
    assert.deepEqual(hsm.tool(slot, 'labels(4)'), ['kek']);
    const other = `hsm::soft_hsm_1::${slot}::`;
    const own = `hsm::soft_hsm::${slot}::key`;
    await done(makeSecret(as(first) as never, own));
    const isTold = async () => TAKEN.test((await makeSecret(as(first) as never, `${other}key`)).text);
    await until(isTold, 'the other instance has no token of its own', 20_000);
    for (const id of [kek, `${kek}_pk`, `${other}kek`])
      await refused(kmip(as(first) as never, 'Encrypt', identifier(id), bytes('Data', DATA)), /^Item_Not_Found: object not found/);
    for (const id of [kek, `${other}kek`]) {
      await refused(makeSecret(as(first) as never, id), /^Item_Not_Found/);
      await refused(kmip(as(first) as never, 'Destroy', identifier(id)), /^Item_Not_Found/);
    }
    assert.equal((await kmip(as(first) as never, 'Encrypt', identifier(own), bytes('Data', DATA))).status, 200);

    const found = await done(kmip(as(first) as never, 'Locate'));
    assert.deepEqual(found.all('UniqueIdentifier').sort(), [key, own].sort());
    const sealed = await done(kmip(as(first) as never, 'Encrypt', identifier(key), bytes('Data', DATA)));
    await first.end();

    hsm.hide();
    const second = await startServer({ config, dataDir });
    cookie = (await second.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
    const away = await kmip(as(second) as never, 'Encrypt', identifier(key), bytes('Data', DATA));
    assert.deepEqual([away.status, away.text.includes('KEY_SERVER_SEALED')], [503, true], away.text);
    hsm.show();
    const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
    const decrypt = async () => {
      await second.runtime.advance(1_001);
      return kmip(as(second) as never, 'Decrypt', identifier(key), ...members);
    };
    await until(async () => (await decrypt()).status === 200, 'the key server unseals by itself', 30_000);
    assert.equal((await done(decrypt()))['Data'], DATA.toString('hex').toUpperCase());
    assert.ok(!JSON.stringify(second.lines).includes(PIN));
    await second.end();
    hsm.end();
  });

  const cases = ['machine 7', '\u0001\u0002'].flatMap((cka) => ['first', 'second'].map((by) => ({ cka, by })));
  for (const { cka, by } of cases)
    test(`a key with the CKA_ID ${JSON.stringify(cka)}, configured by its label in the ${by} instance of its token, is hidden`, async () => {
      const hsm = createSoftHsm();
      const slot = hsm.addToken('kek', PIN);
      hsm.tool(slot, `aes('wrapping', Buffer.from('${cka}'))`);
      hsm.tool(slot, "aes('beside')");
      const further = hsm.addToken('further', PIN);
      hsm.tool(further, "aes('wrapping')");
      const instance = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\n`;
      const third = instance.replace(`${slot}`, `${further}`);
      const kek = `hsm::soft_hsm${by === 'first' ? '' : '_1'}::${slot}::wrapping`;
      const server = await startServer({ config: `[keys]\nkey_encryption_key = "${kek}"\n${instance}${instance}${third}` });
      const cookie = await signInAdmin(server);
      const admin = ((method: 'POST', path: string, options: object) => server.ask(method, path, { cookie, ...options })) as never;
      await done(untilUnsealed(() => makeSecret(admin, 'in the database', ACTIVE)));
      const other = `hsm::soft_hsm_1::${slot}::`;
      await until(async () => TAKEN.test((await makeSecret(admin, `${other}key`)).text), 'the other instance has no token of its own', 20_000);
      for (const name of ['wrapping', cka === 'machine 7' ? cka : '0x0102'])
        for (const id of [`hsm::soft_hsm::${slot}::${name}`, `${other}${name}`])
          for (const operation of ['Encrypt', 'GetAttributes', 'Destroy'])
            await refused(kmip(admin, operation, identifier(id), ...(operation === 'Encrypt' ? [bytes('Data', DATA)] : [])), /not found/);
      // A key of the same name on another token is found and used as any other.
      const others = [`hsm::soft_hsm::${slot}::beside`, `hsm::soft_hsm_2::${further}::wrapping`];
      const located = async () => (await done(kmip(admin, 'Locate'))).all('UniqueIdentifier').toSorted();
      await until(async () => (await located()).length === 3, 'all keys are found', 20_000);
      assert.deepEqual(await located(), ['in the database', ...others].toSorted());
      for (const id of others) await done(kmip(admin, 'Encrypt', identifier(id), bytes('Data', DATA)));
      await server.end();
      hsm.end();
    });

  test('the row of a key that became one of the server is removed from its other names, and no other row', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('kek', PIN);
    const dataDir = temporaryFolder();
    hsm.tool(slot, "aes('wrapping', Buffer.from('machine 7'))");
    // Found by its CKA_ID, it is not the key of that name.
    hsm.tool(slot, "aes('label of another', Buffer.from('beside'))");
    const instance = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\n`;
    const first = await startServer({ dataDir, config: instance });
    let cookie = await signInAdmin(first);
    const admin = (server: typeof first) => ((method: 'POST', path: string, options: object) => server.ask(method, path, { cookie, ...options })) as never;
    const located = async (server: typeof first) => (await done(kmip(admin(server), 'Locate'))).all('UniqueIdentifier').toSorted();
    const at = (name: string) => `hsm::soft_hsm::${slot}::${name}`;
    await until(async () => (await located(first)).length === 2, 'both keys are found', 20_000);
    assert.deepEqual(await located(first), [at('beside'), at('machine 7')]);
    await first.stop();

    const second = await startServer({ dataDir, config: `[keys]\nkey_encryption_key = "${at('wrapping')}"\n${instance}`, argv: ['--rotate-kek'] });
    cookie = (await second.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
    await done(untilUnsealed(() => makeSecret(admin(second), 'in the database', ACTIVE)));
    await until(async () => (await located(second)).length === 2, 'the row is removed', 20_000);
    assert.deepEqual(await located(second), [at('beside'), 'in the database']);
    assert.equal((await second.ask('GET', '/audit?event=key.forget', { cookie })).body.events[0].target, at('machine 7'));
    await second.end();
    hsm.end();
  });

  test('a key that was configured in the second instance of its token is moved to its name in the first', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('kek', PIN);
    const dataDir = temporaryFolder();
    const instance = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nhsm_admin = ["_/admin"]\nprobe_seconds = 1\n`;
    const keys = (prefix: string) => `[keys]\nkey_encryption_key = "${prefix}::${slot}::kek"\n`;
    const ask = async (server: TestServer, password: string) => {
      const { cookie } = await server.ask('POST', '/login?realm=_', { user: `admin:${password}` });
      return ((method: 'POST', path: string, options: object) => server.ask(method, path, { cookie: cookie as string, ...options })) as never;
    };
    const first = await startServer({ dataDir, config: keys('hsm::soft_hsm_1') + instance + instance });
    await signInAdmin(first);
    await done(untilUnsealed(async () => makeSecret(await ask(first, 'a new password'), 'in the database', ACTIVE)));
    assert.deepEqual(hsm.tool(slot, 'labels(4)'), ['kek']);
    await first.stop();
    const second = await startServer({ dataDir, config: keys('hsm::soft_hsm') + instance + instance, argv: ['--rotate-kek'] });
    await until(() => /now wrapped by hsm::soft_hsm::/.test(JSON.stringify(second.lines)), 'it is moved', 20_000);
    await second.stop();
    const third = await startServer({ dataDir, config: keys('hsm::soft_hsm') + instance });
    const admin = await ask(third, 'a new password');
    await done(untilUnsealed(() => kmip(admin, 'Encrypt', identifier('in the database'), bytes('Data', DATA))));
    await third.end();
    hsm.end();
  });

  test('an identifier of no configured HSM stops the start, and says which it must be', async () => {
    const start = startServer({ config: '[keys]\nkey_encryption_key = "hsm::soft_hsm::0::kek"\n' });
    await assert.rejects(start, /keys\.key_encryption_key: hsm::soft_hsm::0::kek is not the identifier of a key in an HSM of \[\[hsm_instances\]\]/);
  });

  test('so does one in a slot, or in a further instance, that is not configured', async () => {
    const instances = '[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [3, 4]\nhsm_password = ["a", "b"]\n';
    for (const [id, problem] of [
      ['hsm::soft_hsm::5::kek', /hsm::soft_hsm::5::kek is in slot 5, which is none of hsm::soft_hsm in \[\[hsm_instances\]\]; hsm_slot has 3, 4/],
      ['hsm::5::kek', /hsm::5::kek is in slot 5, which is none of hsm::soft_hsm/],
      ['hsm::soft_hsm_1::3::kek', /hsm::soft_hsm_1::3::kek is not the identifier of a key in an HSM/],
    ] as const)
      await assert.rejects(startServer({ config: `[keys]\nkey_encryption_key = "${id}"\n${instances}` }), problem);
  });
  test.run();
}

/** The HSM starts in the background, and the key server is sealed until then. */
async function untilUnsealed(ask: () => ReturnType<typeof makeSecret>): ReturnType<typeof makeSecret> {
  let answer = await ask();
  for (const end = performance.now() + 20_000; answer.status === 503 && performance.now() < end; ) {
    await new Promise((again) => setTimeout(again, 50));
    answer = await ask();
  }
  return answer;
}
