// Where keys are used: beside the front by default, in threads of the key server with placement = "own", in its processes with "process"; clients see no difference.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { IS_ON_POSTGRES } from '../../database.ts';
import { childrenOf } from '../../processes.ts';
import { until } from '../../runtime.ts';
import { FRONTS, signInAdmin, startServer, type TestServer } from '../../server.ts';

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };
const text = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
const code = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
const number = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
const bytes = (tag: string, value: string): Json => ({ tag, type: 'ByteString', value });
const group = (tag: string, ...value: Json[]): Json => ({ tag, value });
const active: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
const GCM = group('CryptographicParameters', code('BlockCipherMode', 'GCM'));
const AES = [code('CryptographicAlgorithm', 'AES'), number('CryptographicLength', 256), number('CryptographicUsageMask', 0x3c), active];
const PASSWORD = 'a new password';

/** A front in a thread of its own does not get the address of a database with a password. */
const IS_BESIDE = !IS_ON_POSTGRES || FRONTS === '1';

class Keys {
  readonly server: TestServer;
  readonly cookie: string;

  constructor(server: TestServer, cookie: string) {
    this.server = server;
    this.cookie = cookie;
  }

  ask(tag: string, ...value: Json[]) {
    return this.server.ask('POST', '/kmip/2_1', { cookie: this.cookie, body: { tag, value } });
  }

  /** That signs and verifies. */
  async makePair(...attributes: Json[]): Promise<{ privateKey: string; publicKey: string }> {
    const answer = await this.ask('CreateKeyPair', group('CommonAttributes', ...attributes, number('CryptographicUsageMask', 3), active));
    assert.equal(answer.status, 200, answer.text);
    const named = (tag: string) => String((answer.body.value as Json[]).find((node) => node.tag === tag)?.value);
    return { privateKey: named('PrivateKeyUniqueIdentifier'), publicKey: named('PublicKeyUniqueIdentifier') };
  }

  async aes(...more: Json[]): Promise<string> {
    const answer = await this.ask('Create', code('ObjectType', 'SymmetricKey'), group('Attributes', ...AES, ...more));
    assert.equal(answer.status, 200, answer.text);
    return String((answer.body.value as Json[]).find((node) => node.tag === 'UniqueIdentifier')?.value);
  }

  /** Calls of the key server that were answered beside the front, and that were left to it, while `work` ran. */
  async counted(work: () => Promise<unknown>): Promise<{ answered: number; left: number } | undefined> {
    const before = await this.#counts();
    await work();
    const after = await this.#counts();
    return after && { answered: after.answered - (before?.answered ?? 0), left: after.left - (before?.left ?? 0) };
  }

  /** Over all fronts; undefined if no part of the key server lives beside one. */
  async #counts(): Promise<{ answered: number; left: number } | undefined> {
    const { text: metrics } = await this.server.ask('GET', '/metrics');
    const count = (outcome: string) => new RegExp(`gatehouse_actor_beside_calls_total\\{actor="kmip",outcome="${outcome}"\\} (\\d+)`).exec(metrics)?.[1];
    const answered = count('answered');
    return answered === undefined ? undefined : { answered: Number(answered), left: Number(count('left')) };
  }
}

const BESIDE = IS_BESIDE ? { answered: 1, left: 0 } : undefined;
const LEFT = IS_BESIDE ? { answered: 0, left: 1 } : undefined;

let keys: Keys;
test.before(async () => {
  const server = await startServer({ config: '[keys]\nplacement = "beside"\n' });
  keys = new Keys(server, await signInAdmin(server));
  // Over PostgreSQL only under a lease.
  await until(async () => /^gatehouse_cache_trusted 1$/m.test((await server.ask('GET', '/metrics')).text), 'the node may cache', 15_000);
});
test.after(() => keys?.server.end());

const encrypt = (id: string, data = '00112233') => keys.ask('Encrypt', text('UniqueIdentifier', id), GCM, bytes('Data', data));

test('uses of symmetric keys, look-ups and signatures with P-256 are answered beside the front', async () => {
  const id = await keys.aes();
  const pair = await keys.makePair(code('CryptographicAlgorithm', 'ECDSA'), group('CryptographicDomainParameters', code('RecommendedCurve', 'P_256')));
  const one = text('UniqueIdentifier', id);
  const quick: Record<string, () => Promise<{ status: number; text: string }>> = {
    Encrypt: () => encrypt(id),
    Get: () => keys.ask('Get', one),
    GetAttributes: () => keys.ask('GetAttributes', one),
    Hash: () => keys.ask('Hash', group('CryptographicParameters', code('HashingAlgorithm', 'SHA_256')), bytes('Data', '00')),
    Sign: () => keys.ask('Sign', text('UniqueIdentifier', pair.privateKey), bytes('Data', '0011')),
    encrypt: () => keys.server.ask('POST', '/v1/crypto/encrypt', { cookie: keys.cookie, body: { kid: id, alg: 'dir', enc: 'A256GCM', data: 'AAEC' } }),
  };
  // The first Get marks the object as given out, which is a write.
  assert.deepEqual(await keys.counted(() => keys.ask('Get', one)), LEFT);
  for (const [name, run] of Object.entries(quick)) {
    const counts = await keys.counted(async () => {
      const answer = await run();
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
    });
    assert.deepEqual({ name, counts }, { name, counts: BESIDE });
  }
});

test('other private keys sign in the pool of the front, and RSA public keys are used there', async () => {
  const rsa = await keys.makePair(code('CryptographicAlgorithm', 'RSA'), number('CryptographicLength', 2048));
  const p384 = await keys.makePair(code('CryptographicAlgorithm', 'ECDSA'), group('CryptographicDomainParameters', code('RecommendedCurve', 'P_384')));
  const pss = (mask: string) =>
    group('CryptographicParameters', code('PaddingMethod', 'PSS'), code('HashingAlgorithm', 'SHA_256'), code('MaskGeneratorHashingAlgorithm', mask));
  const kid = (id: string) => keys.server.ask('POST', '/v1/crypto/sign', { cookie: keys.cookie, body: { kid: id, alg: 'PS256', data: 'AAEC' } });
  const sign = (id: string, ...more: Json[]) => keys.ask('Sign', text('UniqueIdentifier', id), ...more, bytes('Data', '0011'));
  const verify = (id: string, signature: string, ...more: Json[]) =>
    keys.ask('SignatureVerify', text('UniqueIdentifier', id), ...more, bytes('Data', '0011'), bytes('SignatureData', signature));
  for (const [name, { privateKey, publicKey }, more, isBeside] of [
    ['RSA', rsa, [], true],
    ['RSA with PSS', rsa, [pss('SHA_256')], true],
    // OpenSSL has no such signature in one step.
    ['RSA with PSS and two hashes', rsa, [pss('SHA_1')], false],
    ['P-384', p384, [], true],
  ] as const) {
    let signature = '';
    const counts = await keys.counted(async () => {
      const answer = await sign(privateKey, ...more);
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
      signature = String((answer.body.value as Json[]).find(({ tag }) => tag === 'SignatureData')?.value);
    });
    assert.deepEqual({ name, counts }, { name, counts: isBeside ? BESIDE : LEFT });
    const answer = await verify(publicKey, signature, ...more);
    assert.match(answer.text, /"Valid"/, `${name}: ${answer.text}`);
  }
  assert.deepEqual(await keys.counted(async () => assert.equal((await kid(rsa.privateKey)).status, 200)), BESIDE);
  const { value } = (await sign(rsa.privateKey)).body as { value: Json[] };
  const valid = () => verify(rsa.publicKey, String(value.find(({ tag }) => tag === 'SignatureData')?.value));
  assert.deepEqual(await keys.counted(async () => assert.match((await valid()).text, /"Valid"/)), BESIDE);
});

test('what writes, takes long or is large is left to the threads of the key server, and answered as well', async () => {
  const rsa = await keys.makePair(code('CryptographicAlgorithm', 'RSA'), number('CryptographicLength', 2048));
  const plain = await keys.aes();
  const limits = group('UsageLimits', { tag: 'UsageLimitsTotal', type: 'LongInteger', value: 2 }, code('UsageLimitsUnit', 'Object'));
  const limited = await keys.aes(limits);
  const tag = group('Attribute', text('VendorIdentification', 'cosmian'), text('AttributeName', 'tag'), text('AttributeValue', '["placement"]'));
  await keys.aes(tag);
  const shared = await keys.aes();
  for (let at = 0; at <= 100; at++) {
    const grant = { unique_identifier: shared, user_id: `user${at}`, operation_types: ['get'] };
    assert.equal((await keys.server.ask('POST', '/access/grant', { cookie: keys.cookie, body: grant })).status, 200);
  }
  const slow: Record<string, () => Promise<{ status: number; text: string }>> = {
    Create: () =>
      keys.ask(
        'Create',
        code('ObjectType', 'SymmetricKey'),
        group('Attributes', code('CryptographicAlgorithm', 'AES'), number('CryptographicLength', 128), number('CryptographicUsageMask', 12)),
      ),
    'Sign a digest with RSA': () =>
      keys.ask(
        'Sign',
        text('UniqueIdentifier', rsa.privateKey),
        group('CryptographicParameters', code('HashingAlgorithm', 'SHA_256')),
        bytes('DigestedData', '00'.repeat(32)),
      ),
    'Encrypt of 40 KB': () => encrypt(plain, '00'.repeat(40_000)),
    'Encrypt with a key that has limits': () => encrypt(limited),
    Locate: () => keys.ask('Locate'),
    'Encrypt with FF1': () =>
      keys.ask(
        'Encrypt',
        text('UniqueIdentifier', plain),
        group('CryptographicParameters', code('CryptographicAlgorithm', 'FPE_FF1')),
        bytes('Data', '31323334353637'),
      ),
    'Get by a tag': () => keys.ask('GetAttributes', text('UniqueIdentifier', '["placement"]')),
    'GetAttributes of an object with many grants': () => keys.ask('GetAttributes', text('UniqueIdentifier', shared)),
  };
  for (const [name, run] of Object.entries(slow)) {
    const counts = await keys.counted(async () => {
      const answer = await run();
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
    });
    assert.deepEqual({ name, counts }, { name, counts: LEFT });
  }
  // The limit of two has counted one use, not the look of the front as well.
  assert.equal((await encrypt(limited)).status, 200);
  assert.equal((await encrypt(limited)).status, 422);
});

test('a refusal is answered by the key server, with one row in the audit log', async () => {
  const refuse = async () => assert.equal((await encrypt('no-such-key')).status, 422);
  assert.deepEqual(await keys.counted(refuse), LEFT);
  const { body } = await keys.server.ask('GET', '/audit?limit=100&event=key.Encrypt', { cookie: keys.cookie });
  const rows = (body.events as { event: string; target?: string }[]).filter(({ target }) => target === 'no-such-key');
  assert.deepEqual(
    rows.map(({ event }) => event),
    ['key.Encrypt'],
  );
});

test('a key that is revoked or changed is never used by what the front remembers of it', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await keys.aes();
    assert.equal((await encrypt(id)).status, 200);
    const reason = group('RevocationReason', code('RevocationReasonCode', 'KeyCompromise'));
    assert.equal((await keys.ask('Revoke', text('UniqueIdentifier', id), reason)).status, 200);
    assert.equal((await encrypt(id)).status, 422, `round ${round}`);
  }
});

test('a session that is ended opens nothing from then on', async () => {
  for (let round = 0; round < 5; round++) {
    const login = await keys.server.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}`, body: {} });
    const cookie = login.cookie as string;
    const who = await keys.server.ask('GET', '/whoami', { cookie });
    assert.equal(who.status, 200, who.text);
    assert.equal((await keys.server.ask('DELETE', '/sessions', { cookie: keys.cookie, body: { session_ids: [login.body.session_id] } })).status, 204);
    assert.equal((await keys.server.ask('GET', '/whoami', { cookie })).status, 401, `round ${round}`);
  }
});

/** A server of its own for one test. */
async function withKeys(config: string, work: (own: Keys) => Promise<void>): Promise<void> {
  const server = await startServer({ config });
  try {
    await work(new Keys(server, await signInAdmin(server)));
  } finally {
    await server.end();
  }
}

const place = (where: string) => `[auth]\nplacement = "own"\n[tokenize]\nplacement = "own"\n[keys]\nplacement = "${where}"\n`;

for (const where of ['own', 'process']) {
  test(`with placement = "${where}" nothing is answered beside the front, and keys work`, () =>
    withKeys(place(where), async (own) => {
      const id = await own.aes();
      const use = () => own.ask('Encrypt', text('UniqueIdentifier', id), GCM, bytes('Data', '00'));
      assert.equal((await use()).status, 200);
      for (const { mailboxes: lanes, name } of own.server.runtime.groups.values()) assert.equal(lanes[0]?.beside, undefined, name);
      const { text: metrics } = await own.server.ask('GET', '/metrics');
      assert.ok(!metrics.includes('gatehouse_actor_beside_calls_total{'));
      const reason = group('RevocationReason', code('RevocationReasonCode', 'KeyCompromise'));
      assert.equal((await own.ask('Revoke', text('UniqueIdentifier', id), reason)).status, 200);
      for (let round = 0; round < 8; round += 1) assert.equal((await use()).status, 422, `round ${round}`);
    }));
}

test('with placement = "process" the key server has processes, and no thread', () =>
  withKeys(place('process'), async ({ server }) => {
    assert.ok(childrenOf(process.pid).length >= 2);
    const { supervisors = [] } = server.runtime.groups.get('kmip') ?? {};
    assert.equal(supervisors[0]?.state, 'running');
    assert.deepEqual(
      ['kmip', 'kmip_stream'].map((name) => server.runtime.groups.get(name)?.spec.process),
      [true, true],
    );
  }));

test('a process that is killed under load loses its calls; what was answered stays, its place is taken', () =>
  withKeys(place('process'), async (own) => {
    const before = childrenOf(process.pid);
    const { supervisors = [] } = own.server.runtime.groups.get('kmip') ?? {};
    const restarts = () => supervisors.reduce((sum, each) => sum + each.restarts, 0);
    const made: string[] = [];
    const refused = new Map<number, string>();
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const answer = await own.ask('Create', code('ObjectType', 'SymmetricKey'), group('Attributes', ...AES));
        if (answer.status === 200) made.push(String((answer.body.value as Json[]).find((node) => node.tag === 'UniqueIdentifier')?.value));
        else refused.set(answer.status, answer.text);
        const last = made.at(-1);
        if (last) assert.ok([200, 503].includes((await own.ask('Encrypt', text('UniqueIdentifier', last), GCM, bytes('Data', '00'))).status));
      }
    });
    await until(() => made.length > 10, 'keys are made', 30_000);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    const soFar = made.length;
    await until(() => restarts() > 0 && made.length > soFar + 10, 'keys are made again', 60_000);
    isOver = true;
    await Promise.all(load);
    assert.deepEqual(
      [...refused.keys()].filter((status) => status !== 503),
      [],
      [...refused.values()].join('\n'),
    );
    // Another process of those that were killed may not have its place yet.
    for (const id of made) await until(async () => (await own.ask('GetAttributes', text('UniqueIdentifier', id))).status === 200, `${id} is there`, 30_000);
    assert.ok(childrenOf(process.pid).every((pid) => !before.includes(pid)));
    const rows = await auditedCreations(own);
    assert.deepEqual(
      made.filter((id) => !rows.has(id)),
      [],
    );
    await until(async () => (await own.server.ask('GET', '/ready')).status === 200, 'all is ready again', 30_000);
  }));

/** Identifiers of all objects whose creation is in the audit log. */
async function auditedCreations({ server, cookie }: Keys): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let after = '';
  do {
    const { body } = await server.ask('GET', `/audit?limit=1000&event=key.create${after}`, { cookie });
    for (const { target } of body.events as { target?: string }[]) if (target !== undefined) found.add(target);
    after = body.next ? `&after=${body.next}` : '';
  } while (after !== '');
  return found;
}

test.run();
