// Twelve writers of each resource at once, on two nodes where there are two: nothing that was answered is lost, nothing that was taken away comes back.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Nodes, startNodes } from '../nodes.ts';
import { type People, people } from '../people.ts';
import { type Answer, type Ask, signInAdmin } from '../server.ts';
import { testDatabases } from '../stores.ts';

// Passwords are hashed at the server's cost, so that other requests arrive during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';

const databases = await testDatabases();
const WRITERS = 12;
const HALF = WRITERS / 2;
const numbers = Array.from({ length: WRITERS }, (_, n) => n);
const PHC = '$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

type Node = { readonly tag: string; readonly type?: string; readonly value: unknown };
const text = (tag: string, value: string): Node => ({ tag, type: 'TextString', value });
const integer = (tag: string, value: number): Node => ({ tag, type: 'Integer', value });
const enumeration = (tag: string, value: string): Node => ({ tag, type: 'Enumeration', value });

for (const database of databases) {
  let nodes: Nodes;
  let they: People;
  const name = (what: string) => `${database.dialect}: ${what}`;
  /** As the super admin, by turns on each node. */
  const root = (n: number, ...[method, path, options]: Parameters<Ask>) =>
    (n % 2 === 0 ? nodes.one : nodes.other).ask(method, path, { cookie: they.root, ...options });
  const get = async (path: string) => (await root(0, 'GET', path)).body;
  /** Every one has to be answered well: a writer that gave way is told to come again, and there is room for twelve. */
  const all = async (status: number, asked: readonly Promise<Answer>[]) => {
    for (const answer of await Promise.all(asked)) assert.equal(answer.status, status, answer.text);
  };
  const kmip = async (n: number, operation: string, ...value: Node[]) => {
    const answer = await root(n, 'POST', '/kmip/2_1', { body: { tag: operation, value } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.value as Node[];
  };
  const made = async () => {
    const attributes = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12)];
    const answer = await kmip(0, 'Create', enumeration('ObjectType', 'SymmetricKey'), { tag: 'Attributes', value: attributes });
    return answer.find(({ tag }) => tag === 'UniqueIdentifier')?.value as string;
  };

  test(name('the servers and the people of these tests'), async () => {
    nodes = await startNodes(database);
    they = people(nodes.one, await signInAdmin(nodes.one));
    await they.realm('r');
    for (const n of numbers) await they.realm(`r${n}`);
  });

  test(name('realms of an admin: every one that was added is there, and one that was taken away stays away'), async () => {
    const realms = async () => (await get('/admins/bob')).realms as string[];
    assert.equal((await root(0, 'POST', '/admins', { body: { id: 'bob', realms: [] } })).status, 201);
    await all(
      200,
      numbers.map((n) => root(n, 'PUT', `/admins/bob/realms/r${n}`)),
    );
    assert.deepEqual(await realms(), numbers.map((n) => `r${n}`).sort());
    for (let round = 0; round < 6; round++) {
      await all(
        200,
        numbers.map((n) => root(n + round, n < HALF ? 'DELETE' : 'PUT', `/admins/bob/realms/r${n}`)),
      );
      assert.deepEqual(
        await realms(),
        numbers
          .slice(HALF)
          .map((n) => `r${n}`)
          .sort(),
      );
      await all(
        200,
        numbers.map((n) => root(n, n < HALF ? 'PUT' : 'DELETE', `/admins/bob/realms/r${n}`)),
      );
      assert.deepEqual(
        await realms(),
        numbers
          .slice(0, HALF)
          .map((n) => `r${n}`)
          .sort(),
      );
    }
  });

  test(name('a record replaced while realms come and go is the old or the new one with them, never a mixture'), async () => {
    for (let round = 0; round < 4; round++) {
      const record = { realms: ['r1', 'r2'], userpass: `u${round}`, fido2: `f${round}` };
      await all(200, [
        ...numbers.slice(3).map((n) => root(n, 'DELETE', `/admins/bob/realms/r${n}`)),
        root(round, 'PUT', '/admins/bob', { body: record }),
        root(round + 1, 'PUT', '/admins/bob/realms/r0'),
      ]);
      const { realms, userpass, fido2 } = await get('/admins/bob');
      assert.deepEqual([userpass, fido2], [record.userpass, record.fido2]);
      assert.ok(['r1,r2', 'r0,r1,r2'].includes(String(realms)), String(realms));
    }
  });

  test(name('credentials: each that was made is there; a new password and new roles at once are both there'), async () => {
    const path = '/realms/r/userpass';
    await all(
      201,
      numbers.map((n) => root(n, 'POST', path, { body: { username: `u${n}`, password_input: { hashed: PHC } } })),
    );
    assert.deepEqual(
      (await get(path)).map(({ username }: { username: string }) => username),
      numbers.map((n) => `u${n}`).sort(),
    );
    await they.user('r', 'ann', 'the first one');
    await all(200, [
      nodes.one.ask('POST', '/login?realm=r', { user: 'ann:the first one', body: { new_password: 'the second one' } }),
      // Long before the new password is hashed.
      root(1, 'PUT', `${path}/u0`, { body: { roles: ['reader'] } }),
    ]);
    await all(
      200,
      numbers.map((n) =>
        root(n, 'PUT', `${path}/ann`, { body: { roles: [`role ${n}`], ...(n === 5 ? { password_input: { plaintext: 'the third one' } } : {}) } }),
      ),
    );
    assert.equal((await they.signIn('r', 'ann', 'the second one')).status, 401);
    assert.equal((await they.signIn('r', 'ann', 'the third one')).body.next_step, 'Authenticated');
    await all(
      204,
      numbers.map((n) => root(n, 'DELETE', `${path}/u${n}`)),
    );
    assert.equal((await get(path)).length, 1);
  });

  test(name('a realm that is deleted leaves no credential, admin or session behind, whoever makes them meanwhile'), async () => {
    await they.realm('gone');
    const making = numbers.map((n) => root(n, 'POST', '/realms/gone/userpass', { body: { username: `u${n}`, password_input: { hashed: PHC } } }));
    const joining = numbers.map((n) => root(n, 'POST', '/admins', { body: { id: `of-gone-${n}`, realms: ['gone'] } }));
    assert.equal((await root(1, 'DELETE', '/admins/realms/gone')).status, 204);
    for (const { status } of await Promise.all([...making, ...joining])) assert.ok([201, 400, 404].includes(status), String(status));
    await they.realm('gone');
    assert.deepEqual(await get('/realms/gone/userpass'), []);
    const admins = (await get('/admins')) as { id: string; realms: string[] }[];
    assert.ok(admins.every(({ realms }) => !realms.includes('gone')));
  });

  test(name('an admin whose right goes while a password is hashed makes no credential with it'), async () => {
    const eve = await they.realmAdmin('r3', 'eve');
    const making = numbers.map((n) =>
      (n % 2 ? nodes.one : nodes.other).ask('POST', '/realms/r3/userpass', {
        cookie: eve,
        body: { username: `of-eve-${n}`, password_input: { plaintext: `password ${n}` } },
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await root(0, 'DELETE', '/admins/r3-eve/realms/r3')).status, 200);
    const before = (await get('/realms/r3/userpass')).length;
    const statuses = (await Promise.all(making)).map(({ status }) => status);
    assert.ok(statuses.includes(403), String(statuses));
    assert.equal((await get('/realms/r3/userpass')).length, before);
  });

  test(name('sessions: every login is listed, and none that was ended lives, used or not'), async () => {
    await they.user('r', 'ben', 'ben password');
    const logins = await Promise.all(numbers.slice(0, 6).map(() => they.signIn('r', 'ben', 'ben password')));
    const ids = logins.map(({ body }) => body.session_id as string);
    const clients = [{ username: 'ben', auth_scheme: 'up' }];
    const list = async () => (await root(1, 'POST', '/sessions/realms/r/clients', { body: clients })).body.session_ids as string[];
    assert.deepEqual((await list()).sort(), [...ids].sort());
    const uses = logins.flatMap(({ cookie }) => [nodes.one.ask('GET', '/whoami', { cookie }), nodes.other.ask('GET', '/whoami', { cookie })]);
    await all(
      204,
      ids.slice(3).map((id, n) => root(n, 'DELETE', '/sessions', { body: { session_ids: [id] } })),
    );
    await Promise.all(uses);
    for (const [n, { cookie }] of logins.entries())
      for (const node of [nodes.one, nodes.other]) assert.equal((await node.ask('GET', '/whoami', { cookie })).status, n < 3 ? 200 : 401);
    assert.deepEqual((await list()).sort(), ids.slice(0, 3).sort());
  });

  test(name('failures of logins that are refused together all count'), async () => {
    await they.user('r', 'cat', 'cat password');
    await all(
      401,
      numbers.slice(0, 6).map((n) => (n % 2 ? nodes.one : nodes.other).ask('POST', '/login?realm=r', { user: `cat:guess ${n}` })),
    );
    assert.equal((await they.signIn('r', 'cat', 'cat password')).status, 401);
    assert.equal((await root(1, 'POST', '/realms/r/userpass/cat/unlock')).status, 204);
    assert.equal((await they.signIn('r', 'cat', 'cat password')).status, 200);
  });

  test(name('secret ids: each that was made is listed, none that was destroyed is, and settings that are replaced take none along'), async () => {
    const role = '/auth/approle/role/web';
    assert.equal((await root(0, 'POST', role, { body: {} })).status, 204);
    const made = await Promise.all(numbers.map((n) => root(n, 'POST', `${role}/secret-id`, { body: {} })));
    const accessors = made.map(({ body }) => body.data.secret_id_accessor as string);
    await all(204, [
      ...accessors.slice(HALF).map((secret_id_accessor, n) => root(n, 'POST', `${role}/secret-id/destroy`, { body: { secret_id_accessor } })),
      ...numbers.map((n) => root(n, 'POST', role, { body: { token_ttl: 100 + n } })),
    ]);
    assert.deepEqual((await get(`${role}/secret-id?list=true`)).data.keys.sort(), accessors.slice(0, HALF).sort());
    const { data } = await get(role);
    assert.ok(data.token_ttl >= 100 && data.token_ttl < 100 + WRITERS);
  });

  test(name('tokens: one that was revoked is not renewed into life, and none is left of a role that was deleted'), async () => {
    const role = '/auth/approle/role/brief';
    assert.equal((await root(0, 'POST', role, { body: { bind_secret_id: false } })).status, 204);
    const { role_id } = (await get(`${role}/role-id`)).data;
    const login = (n: number) => (n % 2 ? nodes.one : nodes.other).ask('POST', '/auth/approle/login', { body: { role_id } });
    const self = (n: number, action: string, token: string) =>
      (n % 2 ? nodes.one : nodes.other).ask(action === 'lookup' ? 'GET' : 'POST', `/auth/token/${action}-self`, { headers: { 'x-app-token': token } });
    const tokens = (await Promise.all(numbers.map(login))).map(({ body }) => body.auth.client_token as string);
    await Promise.all(tokens.flatMap((token, n) => [self(n, 'renew', token), self(n + 1, 'revoke', token), self(n, 'renew', token)]));
    for (const token of tokens) assert.equal((await self(0, 'lookup', token)).status, 403);
    const late = numbers.map(login);
    const ids = numbers.map((n) => root(n, 'POST', `${role}/secret-id`, { body: {} }));
    assert.equal((await root(1, 'DELETE', role)).status, 204);
    for (const { status, body } of await Promise.all(late)) if (status === 200) assert.equal((await self(1, 'lookup', body.auth.client_token)).status, 403);
    await Promise.all(ids);
    assert.equal((await root(0, 'POST', role, { body: {} })).status, 204);
    assert.deepEqual((await get(`${role}/secret-id`)).data.keys, []);
  });

  test(name('grants: each user has what was granted, and nobody what was taken away'), async () => {
    const id = await made();
    const change = (n: number, what: 'grant' | 'revoke', user_id: string, ...operation_types: string[]) =>
      root(n, 'POST', `/access/${what}`, { body: { unique_identifier: id, user_id, operation_types } });
    const listed = async () =>
      Object.fromEntries((await get(`/access/list/${id}`)).map((row: { user_id: string; operations: string[] }) => [row.user_id, row.operations]));
    await all(
      200,
      numbers.map((n) => change(n, 'grant', `user ${n}`, 'get')),
    );
    assert.equal(Object.keys(await listed()).length, WRITERS);
    await all(
      200,
      numbers.flatMap((n) => [change(n, n < HALF ? 'revoke' : 'grant', `user ${n}`, 'get'), change(n + 1, 'grant', `user ${n}`, 'encrypt')]),
    );
    assert.deepEqual(await listed(), Object.fromEntries(numbers.map((n) => [`user ${n}`, n < HALF ? ['encrypt'] : ['encrypt', 'get']])));
    await all(
      200,
      ['encrypt', 'decrypt', 'sign', 'mac', 'locate', 'check'].map((operation, n) => change(n, 'grant', 'one user', operation)),
    );
    assert.equal((await listed())['one user'].length, 6);
  });

  test(name('tags of a key: each that was added is there, none that was taken away is'), async () => {
    const { kid } = (await root(0, 'POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } })).body;
    const path = `/v1/crypto/keys/${kid}/tags`;
    await all(
      200,
      numbers.map((n) => root(n, 'POST', path, { body: { tags: [`t${n}`] } })),
    );
    assert.deepEqual((await get(path)).tags.sort(), numbers.map((n) => `t${n}`).sort());
    await all(
      200,
      numbers.map((n) => root(n, n < HALF ? 'DELETE' : 'POST', path, { body: { tags: [n < HALF ? `t${n}` : `later ${n}`] } })),
    );
    const left = numbers.slice(HALF).flatMap((n) => [`t${n}`, `later ${n}`]);
    assert.deepEqual((await get(path)).tags.sort(), left.sort());
  });

  test(name('attributes of a key: each value that was added is there, each step of a counter counts'), async () => {
    const id = text('UniqueIdentifier', await made());
    const nameNode = (n: number) => ({ tag: 'Name', value: [text('NameValue', `name ${n}`), enumeration('NameType', 'UninterpretedTextString')] });
    const counter = (value: number) => ({
      tag: 'Attribute',
      value: [text('VendorIdentification', 'x'), text('AttributeName', 'n'), integer('AttributeValue', value)],
    });
    const reference = { tag: 'AttributeReference', value: [text('VendorIdentification', 'x'), text('AttributeName', 'n')] };
    await Promise.all(numbers.map((n) => kmip(n, 'AddAttribute', id, { tag: 'NewAttribute', value: [nameNode(n)] })));
    await kmip(0, 'AddAttribute', id, { tag: 'NewAttribute', value: [counter(0)] });
    await Promise.all([
      ...numbers.map((n) => kmip(n, 'AdjustAttribute', id, reference, enumeration('AdjustmentType', 'Increment'))),
      ...numbers.slice(HALF).map((n) => kmip(n, 'DeleteAttribute', id, { tag: 'CurrentAttribute', value: [nameNode(n)] })),
    ]);
    const [, attributes] = await kmip(1, 'GetAttributes', id);
    const found = attributes?.value as { tag: string; value: Node[] }[];
    const valueIn = (node: { value: Node[] } | undefined, tag: string) => node?.value.find((member) => member.tag === tag)?.value;
    assert.deepEqual(
      found
        .filter(({ tag }) => tag === 'Name')
        .map((node) => valueIn(node, 'NameValue'))
        .sort(),
      numbers.slice(0, HALF).map((n) => `name ${n}`),
    );
    const count = found.find((node) => node.tag === 'Attribute' && valueIn(node, 'AttributeName') === 'n');
    assert.equal(valueIn(count, 'AttributeValue'), WRITERS);
    await nodes.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
