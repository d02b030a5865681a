// Broken calls of the REST crypto API: each is answered or refused by one of the statuses that the API has, never as a failure of the server.
import assert from 'node:assert/strict';
import type { Answer, CryptoCall } from '../../actors/kmip/api.ts';
import { answerCrypto } from '../../actors/kmip/jose/answer.ts';
import type { KeyServer } from '../../actors/kmip/server.ts';
import { inspectPayload } from '../../kernel/runtime/channel/bytes.ts';
import { checkSilence } from './answer.ts';
import { ALICE, type FuzzedServer, openFuzzedServer } from './key-server.ts';
import { BYTES, mutated } from './mutate.ts';
import { IDENTIFIERS, makeObjects, SECRETS } from './objects.ts';
import type { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Members = { readonly [name: string]: Json };
type Plain = Exclude<CryptoCall, { kid: string }>['name'];

interface Call {
  readonly call: CryptoCall;
  readonly body: Members;
}

const STATUSES: ReadonlySet<number> = new Set([200, 204, 400, 403, 404, 413, 422, 503]);
const octets = (value: string | Uint8Array): string => Buffer.from(value).toString('base64url');
const DATA = octets('the quick brown fox');
const SECRET = octets('0123456789abcdef0123456789abcdef');
const PUBLIC_X = octets(Buffer.from('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a', 'hex'));

const NEW_KEYS: readonly Members[] = [
  { kty: 'oct', alg: 'A256GCM' },
  { kty: 'oct', alg: 'HS256', k: SECRET },
  { kty: 'EC', alg: 'ES256', crv: 'P-256' },
  { kty: 'EC', crv: 'P-384' },
  { kty: 'OKP', alg: 'EdDSA', crv: 'Ed25519' },
  { kty: 'OKP', crv: 'X25519', x: PUBLIC_X },
];

function parsed({ body }: Answer): Members {
  return body.length === 0 ? {} : (JSON.parse(Buffer.from(body).toString()) as Members);
}

/** A good call of every kind. */
async function goodCalls(server: KeyServer): Promise<Call[]> {
  const ask = async (name: Plain, body: Members): Promise<Members> => {
    const answer = await answerCrypto(server, { name }, Buffer.from(JSON.stringify(body)), ALICE);
    assert.equal(answer.status, 200, Buffer.from(answer.body).toString());
    return parsed(answer);
  };
  const of = async (body: Members) => (await ask('createKey', body)) as { kid: string; kid_public: string };
  const [secret, hmac, rsa, ec, signing] = [
    await of({ kty: 'oct', alg: 'A256GCM' }),
    await of({ kty: 'oct', alg: 'HS256' }),
    await of({ kty: 'RSA' }),
    await of({ kty: 'EC' }),
    await of({ kty: 'OKP', alg: 'EdDSA', crv: 'Ed25519' }),
  ];
  const encrypt: Members[] = [
    { kid: secret.kid, alg: 'dir', enc: 'A256GCM', data: DATA, aad: DATA },
    { kid: rsa.kid_public, alg: 'RSA-OAEP-256', enc: 'A128CBC-HS256', data: DATA },
    { kid: ec.kid_public, alg: 'ECDH-ES+A128KW', enc: 'A128GCM', data: DATA, apu: DATA, apv: DATA },
  ];
  const sign: Members[] = [
    { kid: ec.kid, alg: 'ES256', data: DATA },
    { kid: rsa.kid, alg: 'PS256', data: DATA },
    { kid: signing.kid, alg: 'EdDSA', data: DATA },
  ];
  const decrypt = await Promise.all(encrypt.map((body) => ask('encrypt', body)));
  const verify = await Promise.all(sign.map(async (body) => ({ ...(await ask('sign', body)), data: DATA })));
  const calls = (name: Plain, bodies: readonly Members[]): Call[] => bodies.map((body) => ({ call: { name }, body }));
  const tags = { tags: ['blue', 'red'] };
  return [
    ...calls('encrypt', encrypt),
    ...calls('decrypt', decrypt),
    ...calls('sign', sign),
    ...calls('verify', verify),
    ...calls('mac', [
      { kid: hmac.kid, alg: 'HS256', data: DATA },
      { kid: hmac.kid, alg: 'HS256', data: DATA, mac: DATA },
    ]),
    ...calls('createKey', NEW_KEYS),
    ...calls('unwrapKey', [await ask('encrypt', { kid: rsa.kid_public, alg: 'RSA-OAEP', enc: 'A128GCM', data: DATA })]),
    ...(['deleteKey', 'getTags', 'addTags', 'deleteTags'] as const).map((name) => ({ call: { name, kid: secret.kid }, body: tags })),
  ];
}

const WORDS: readonly Json[] = [
  ...['dir', 'RSA1_5', 'RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-512', 'A128KW', 'A256KW', 'A192GCMKW', 'ECDH-ES', 'ECDH-ES+A256KW', 'PBES2-HS256+A128KW'],
  ...[
    'A128GCM',
    'A192GCM',
    'A256GCM',
    'A128CBC-HS256',
    'A256CBC-HS512',
    'C20P',
    'ES256',
    'ES512',
    'ES256K',
    'RS256',
    'PS512',
    'HS384',
    'HS512',
    'EdDSA',
    'none',
  ],
  ...['EC', 'OKP', 'oct', 'RSA', 'AKP', 'P-256', 'P-521', 'secp256k1', 'X25519', 'X448', 'Ed448', 'ML-DSA-44', 'constructor', '__proto__', 'toString'],
  ...['', ' ', 'AA', 'AAAA', 'AA==', '!', 'x'.repeat(10_000), '\0', '\ud800', 'é\u{1f511}', '[]', '["blue"]', 'set@latest', 'hsm::a::0::b', '*'],
  ...[null, true, false, 0, -1, 1, 255, 256, 2048, 1e9, 1e308, 0.5, [], {}, ['a'], [[]], { a: 1 }],
];
const NAMES = [
  ...[
    'kid',
    'alg',
    'enc',
    'data',
    'aad',
    'protected',
    'encrypted_key',
    'iv',
    'ciphertext',
    'tag',
    'signature',
    'mac',
    'kty',
    'crv',
    'k',
    'd',
    'x',
    'y',
    'n',
    'e',
    'p',
    'q',
  ],
  ...[
    'dp',
    'dq',
    'qi',
    'oth',
    'bits',
    'tags',
    'key_ops',
    'use',
    'epk',
    'apu',
    'apv',
    'crit',
    'zip',
    'b64',
    'p2c',
    'p2s',
    'pub',
    'priv',
    '__proto__',
    'constructor',
  ],
];

const word = (random: Random): Json =>
  random.below(4) === 0
    ? random.pick(IDENTIFIERS)
    : random.below(5) === 0
      ? octets(new Uint8Array(random.below(70)).fill(random.below(256)))
      : random.pick(WORDS);

/** One member more, less, or another value for one; `pool` has members of other calls. */
function changed(members: Members, random: Random, pool: readonly Members[]): Members {
  const names = Object.keys(members);
  const name = names.length > 0 && random.below(3) > 0 ? random.pick(names) : random.pick(NAMES);
  const value = members[name];
  switch (random.below(5)) {
    case 0:
      return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
    case 1:
      return { ...members, [name]: random.pick(pool)[name] ?? word(random) };
    case 2:
      return { ...members, [name]: typeof value === 'string' ? spoiled(name, value, random, pool) : word(random) };
    default:
      return { ...members, [name]: word(random) };
  }
}

/** A text with other octets; in a protected header another member. */
function spoiled(name: string, value: string, random: Random, pool: readonly Members[]): Json {
  if (name === 'protected' && random.below(4) > 0) {
    try {
      return octets(JSON.stringify(changed(JSON.parse(Buffer.from(value, 'base64url').toString()) as Members, random, pool)));
    } catch {
      return value;
    }
  }
  return octets(mutated([new Uint8Array(Buffer.from(value, 'base64url'))], BYTES, random));
}

interface World {
  readonly fuzzed: FuzzedServer;
  readonly calls: readonly Call[];
}

async function attempt({ fuzzed, calls }: World, random: Random): Promise<void> {
  fuzzed.reset();
  const chosen = random.pick(calls);
  const pool = calls.map(({ body }) => body);
  let body = chosen.body;
  for (let changes = random.below(4); changes > 0; changes--) body = changed(body, random, pool);
  const text = new Uint8Array(Buffer.from(JSON.stringify(body)));
  const bytes = random.below(6) === 0 ? mutated([text], BYTES, random) : text;
  const kid = word(random);
  const call = 'kid' in chosen.call && random.below(3) === 0 ? { ...chosen.call, kid: typeof kid === 'string' ? kid : '' } : chosen.call;
  try {
    const answer = await answerCrypto(await fuzzed.fresh(), call, bytes, ALICE);
    assert.deepEqual(fuzzed.errors(), []);
    checkAnswer(answer, call);
    checkSilence(fuzzed.said(), SECRETS, 'the log');
    if (answer.status >= 300) checkSilence(Buffer.from(answer.body).toString(), SECRETS, 'the answer');
  } catch (cause) {
    throw new Error(`${JSON.stringify(call)} ${Buffer.from(bytes).toString()}`, { cause });
  }
}

function checkAnswer(answer: Answer, { name }: CryptoCall): void {
  inspectPayload(answer);
  assert.ok(STATUSES.has(answer.status), `status ${answer.status}`);
  assert.equal(answer.outcomes.length, 1);
  if (answer.status < 300) assert.equal(answer.outcomes[0], `${name}:Success`);
  // The reason, in one of a few words: it is a label of a metric.
  else assert.match(answer.outcomes[0] as string, new RegExp(`^${name}:(?!Success$)[A-Za-z_]{3,64}$`));
  if (answer.status === 204) return assert.equal(answer.body.length, 0);
  const members = parsed(answer);
  if (answer.status < 300) return;
  assert.ok(typeof members['error'] === 'string' && members['error'] !== '');
  assert.ok(typeof members['description'] === 'string' && members['description'] !== '');
}

export const CRYPTO_TARGET: FuzzTarget = {
  name: 'crypto',
  maxMs: 5_000,
  async open() {
    const fuzzed = await openFuzzedServer();
    const server = await fuzzed.fresh();
    await makeObjects(server);
    const calls = await goodCalls(server);
    fuzzed.keep();
    return { attempt: (random) => attempt({ fuzzed, calls }, random), close: () => fuzzed.end() };
  },
};
