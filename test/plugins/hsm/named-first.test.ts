// Keys that other tools made on a token are objects for its administrator, whichever call names them first.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { skipWithout } from '../../system.ts';
import { boolean, done, enumeration, type HsmServer, identifier, kmip, startHsmServer, structure, USER_NAME } from './hsm-server.ts';

let server: HsmServer;

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
  });
  test.after(() => server.end());

  /** The identifier of a new key of another tool. */
  function made(name: string): string {
    server.hsm.tool(server.slot, `aes('${name}', Buffer.from('${name}'))`);
    return server.prefix + name;
  }
  const at = (id: string, more = '') => `/v1/crypto/keys/${encodeURIComponent(id)}${more}`;
  const granting = (unique_identifier: string) => ({ body: { unique_identifier, user_id: USER_NAME, operation_types: ['encrypt'] } });
  const CALLS: Record<string, (id: string) => ReturnType<HsmServer['admin']>> = {
    'the list of tags': (id) => server.admin('GET', at(id, '/tags')),
    'a new tag': (id) => server.admin('POST', at(id, '/tags'), { body: { tags: ['mine'] } }),
    'a tag that goes': (id) => server.admin('DELETE', at(id, '/tags'), { body: { tags: ['mine'] } }),
    'DELETE of the key': (id) => server.admin('DELETE', at(id)),
    'a grant': (id) => server.admin('POST', '/access/grant', granting(id)),
    'a grant that is taken back': (id) => server.admin('POST', '/access/revoke', granting(id)),
    'the list of grants': (id) => server.admin('GET', `/access/list/${encodeURIComponent(id)}`),
  };

  for (const [what, call] of Object.entries(CALLS))
    test(`${what} is the first to name a key: of its administrator, not of others`, async () => {
      const id = made(what.replaceAll(' ', '-'));
      assert.equal((await server.user('GET', at(id, '/tags'))).status, 404);
      const { status, text } = await call(id);
      assert.ok(status === 200 || status === 204, `${status} ${text}`);
    });

  test('/access/check is the first to name a key', async () => {
    const body = { unique_identifier: made('checked'), operation_types: ['encrypt'] };
    assert.deepEqual((await server.user('POST', '/access/check', { body })).body, { allowed: { encrypt: false } });
    assert.deepEqual((await server.admin('POST', '/access/check', { body })).body, { allowed: { encrypt: true } });
  });

  test('who got a grant on a key that nobody had named before uses it', async () => {
    const id = made('granted');
    await server.admin('POST', '/access/grant', granting(id));
    const { status, text } = await server.user('POST', '/v1/crypto/encrypt', { body: { kid: id, alg: 'dir', enc: 'A256GCM', data: '' } });
    assert.equal(status, 200, text);
    await done(kmip(server.admin, 'Destroy', identifier(id)));
  });

  test('a key with the name of a destroyed one is used at once by who administers it', async () => {
    const use = (id: string) => server.admin('POST', '/v1/crypto/encrypt', { body: { kid: id, alg: 'dir', enc: 'A256GCM', data: '' } });
    const id = made('again');
    assert.equal((await use(id)).status, 200);
    await done(kmip(server.admin, 'Destroy', identifier(id)));
    assert.equal((await use(id)).status, 403);
    made('again');
    const { status, text } = await use(id);
    assert.equal(status, 200, text);
  });

  /** Of another tool, whose halves have one CKA_ID. @returns the identifier of the private key */
  function madePair(name: string, publicLabel = name): string {
    server.hsm.tool(
      server.slot,
      `p.C_GenerateKeyPair(s, { mechanism: 0x1040 },
        [...named('${publicLabel}', Buffer.from('${name}')), { type: 0x10a, value: true }, { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
        [...named('${name}'), { type: 0x108, value: true }, { type: 2, value: true }, { type: 0x103, value: true }]) && true`,
    );
    return server.prefix + name;
  }

  for (const publicLabel of ['pair', 'of another label'])
    test(`what is done to a pair concerns both halves, whichever is named first; the public one is called ${publicLabel}`, async () => {
      const halves = () => server.hsm.tool(server.slot, `[...labels(2), ...labels(3)].filter((each) => ['pair', '${publicLabel}'].includes(each)).length`);
      for (const end of ['', '_pk']) {
        const id = madePair('pair', publicLabel);
        assert.equal(halves(), 2);
        assert.equal((await server.admin('DELETE', at(id + end))).status, 204);
        assert.equal(halves(), 0, `named by ${id}${end}`);
      }
      const id = madePair('pair', publicLabel);
      const reason = structure('RevocationReason', enumeration('RevocationReasonCode', 'Unspecified'));
      await done(kmip(server.admin, 'Revoke', identifier(id), reason, boolean('Cascade', true)));
      const told = await server.admin('POST', '/kmip/2_1', { body: { tag: 'GetAttributes', value: [identifier(`${id}_pk`)] } });
      assert.match(told.text, /"tag":"State","type":"Enumeration","value":"Deactivated"/);
      await done(kmip(server.admin, 'Destroy', identifier(id), boolean('Cascade', true)));
      assert.equal(halves(), 0);
    });
  test.run();
}
