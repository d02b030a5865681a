// A wrong known answer switches exactly its algorithm off, in every thread: refusals, /ready, metrics and log say so, and all others work.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { KnownAnswer } from '../../../crypto/self-test/known-answer.ts';
import { readKnownAnswers } from '../../../crypto/self-test/known-answers.ts';
import { switchOff } from '../../../crypto/switched-off.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import auth from '../../../plugins/auth/plugin.ts';
import hsm from '../../../plugins/hsm/plugin.ts';
import { type KeysActors, keysActors, type Neighbours } from '../../../plugins/keys/actors.ts';
import type { KeysConfig } from '../../../plugins/keys/config.ts';
import keys from '../../../plugins/keys/plugin.ts';
import tokenize from '../../../plugins/tokenize/plugin.ts';
import { IS_ON_POSTGRES } from '../../database.ts';
import { FRONTS, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { untilWarm } from '../../warm.ts';

/** SP 800-38A F.5.1 with one bit changed. */
const WRONG: KnownAnswer = {
  ...{ algorithm: 'AES-CTR', source: 'made up', kind: 'cipher', of: 'AES', parameters: { blockCipherMode: 'CTR' } },
  ...{ key: '2b7e151628aed2a6abf7158809cf4f3c', iv: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff' },
  ...{ data: '6bc1bee22e409f96e93d7e117393172a', encrypted: '874d6191b620e3261bef6864990db6cf' },
};
const THREADS = ['kmip/0', 'kmip/1', ...(IS_ON_POSTGRES && FRONTS !== '1' ? [] : ['kmip/beside']), 'kmip_stream/0'];

function broken(knownAnswers: readonly KnownAnswer[]) {
  const plugin = definePlugin<KeysConfig, KeysActors, Neighbours>({
    ...keys,
    actors(config, _kernel, _base, version) {
      const { kmip, kmip_stream } = keysActors(config, version);
      return { kmip: { ...kmip, size: 2, args: { ...kmip.args, knownAnswers } }, kmip_stream: { ...kmip_stream, instances: { 0: { knownAnswers } } } };
    },
  });
  return [auth, hsm, tokenize, plugin] as never;
}

interface Started {
  readonly server: TestServer;
  readonly cookie: string;
  readonly metrics: string;
  end(): Promise<void>;
}

/** A server whose threads have computed all known answers. */
async function start(knownAnswers: readonly KnownAnswer[]): Promise<Started> {
  const server = await startServer({ plugins: broken(knownAnswers), env: { GATEHOUSE_KEYS_SELF_TESTS: 'true' } });
  const cookie = await signInAdmin(server);
  await untilWarm(server, THREADS);
  const { text: metrics } = await server.ask('GET', '/metrics');
  return { server, cookie, metrics, end: () => server.end() };
}

function labels(thread: string): string {
  const [actor, key] = thread.split('/');
  return `actor="${actor}",key="${key}"`;
}

const offIn = (metrics: string) => [...metrics.matchAll(/^gatehouse_self_test_off\{(.*)\} 1$/gm)].map(([, found]) => found).sort();

const t = (tag: string, value: string) => ({ tag, type: 'TextString', value });
const e = (tag: string, value: string) => ({ tag, type: 'Enumeration', value });
const n = (tag: string, value: number) => ({ tag, type: 'Integer', value });
const b = (tag: string, value: string) => ({ tag, type: 'ByteString', value });
const flag = (tag: string) => ({ tag, type: 'Boolean', value: true });
const s = (tag: string, ...value: readonly unknown[]) => ({ tag, value });
const mode = (name: string) => s('CryptographicParameters', e('BlockCipherMode', name));
const active = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };

async function aes({ server, cookie }: Started): Promise<string> {
  const attributes = s('Attributes', e('CryptographicAlgorithm', 'AES'), n('CryptographicLength', 256), n('CryptographicUsageMask', 12), active);
  const made = await server.ask('POST', '/kmip/2_1', { cookie, body: s('Create', e('ObjectType', 'SymmetricKey'), attributes) });
  assert.equal(made.status, 200, made.text);
  return made.body.value.find((each: { tag: string }) => each.tag === 'UniqueIdentifier').value;
}

test('a wrong answer switches its algorithm off in every thread, and no other algorithm', async () => {
  const started = await start([WRONG]);
  const { server, cookie, metrics } = started;
  try {
    assert.deepEqual(offIn(metrics), THREADS.map((thread) => `${labels(thread)},algorithm="AES-CTR"`).sort());
    const ready = await server.ask('GET', '/ready');
    const degraded = [`AES-CTR is switched off in ${THREADS.join(', ')}: its self-test has failed`];
    assert.deepEqual([ready.status, ready.body], [200, { status: 'READY', degraded }]);
    const logged = server.lines.filter(({ msg }) => msg === 'a self-test has failed: the algorithm is switched off in this thread');
    assert.deepEqual(new Set(logged.map(({ actor, key }) => `${actor}/${key}`)), new Set(THREADS));
    assert.ok(logged.every(({ algorithm, source }) => algorithm === 'AES-CTR' && source === 'made up'));
    const id = await aes(started);
    const encrypt = (parameters: unknown, ...more: readonly unknown[]) =>
      server.ask('POST', '/kmip/2_1', { cookie, body: s('Encrypt', t('UniqueIdentifier', id), parameters, b('Data', '00'.repeat(16)), ...more) });
    // Several times: the requests go to one thread or another.
    for (let turn = 0; turn < 4; turn++) {
      const refused = await encrypt(mode('CTR'));
      assert.equal(refused.status, 422);
      assert.match(refused.text, /Cryptographic_Failure: .*AES-CTR is switched off: its self-test has failed/);
      for (const other of ['GCM', 'CBC', 'ECB', 'CFB', 'OFB', 'CCM']) assert.equal((await encrypt(mode(other))).status, 200, other);
    }
    const parts = await encrypt(mode('CTR'), flag('InitIndicator'));
    assert.match(parts.text, /Cryptographic_Failure: .*AES-CTR is switched off/);
    assert.equal((await encrypt(mode('CBC'), flag('InitIndicator'))).status, 200);
  } finally {
    await started.end();
  }
});

test('the REST API names an algorithm that is switched off, with status 503', async () => {
  const right = (await readKnownAnswers()).find(({ algorithm }) => algorithm === 'AES-GCM') as KnownAnswer;
  const started = await start([{ ...right, tag: '00'.repeat(16) } as KnownAnswer]);
  const { server, cookie } = started;
  try {
    const { kid } = (await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } })).body;
    const refused = await server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
    assert.deepEqual(
      [refused.status, refused.body],
      [503, { error: 'algorithm_switched_off', description: 'AES-GCM is switched off: its self-test has failed' }],
    );
  } finally {
    await started.end();
  }
});

test('without a wrong answer all are right in every thread, and nothing is degraded', async () => {
  const started = await start([]);
  try {
    const { length } = await readKnownAnswers();
    for (const thread of THREADS) assert.ok(started.metrics.includes(`gatehouse_self_test_answers{${labels(thread)},outcome="right"} ${length}\n`), thread);
    assert.deepEqual(offIn(started.metrics), []);
    assert.deepEqual((await started.server.ask('GET', '/ready')).body, { status: 'READY' });
    // The front runs in this thread: what is off only here is left to the threads of the key server.
    const id = await aes(started);
    switchOff('AES-OFB');
    const body = s('Encrypt', t('UniqueIdentifier', id), mode('OFB'), b('Data', '00'));
    assert.equal((await started.server.ask('POST', '/kmip/2_1', { cookie: started.cookie, body })).status, 200);
  } finally {
    await started.end();
  }
});

test.run();
