// A key server with keys for the questions, beside the inline front that does the same.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { GivenAnswers } from '../fakes/inline-front.ts';
import { get, type HttpRequest, post } from '../load/http-request.ts';
import { active, b, binary, DATA, e, type Item, json, memberOf, n, s, t } from '../load/kmip-json.ts';
import { type InlineProcess, startInlineFront } from './inline-process.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** A server with an empty route, for sign-ins without a limit. */
export const WITH_EMPTY = `[auth]\nlogin_rate_per_second = 1000000\nlogin_rate_burst = 1000000\n[auth.quotas]\ntokens_per_identity = 0\n[[plugins]]\nmodule = ${JSON.stringify(fileURLToPath(new URL('../fakes/empty-route.ts', import.meta.url)))}\n`;
/** The same with one front, whose thread can be profiled. */
export const WITH_PROFILE = `[http]\nthreads = 1\n${WITH_EMPTY}[[plugins]]\nmodule = ${JSON.stringify(fileURLToPath(new URL('../fakes/profile-route.ts', import.meta.url)))}\n`;
export const EMPTY_GET: HttpRequest = get('/empty');

/** As many threads as serve requests in the server under load: by default one for each core. */
const INLINE_THREADS = Number(process.env['GATEHOUSE_HTTP_THREADS'] ?? 0) || Math.min(availableParallelism(), 8);
const GCM = s('CryptographicParameters', e('BlockCipherMode', 'GCM'));

export const AES: Item = [
  'Create',
  [
    e('ObjectType', 'SymmetricKey'),
    s('Attributes', e('CryptographicAlgorithm', 'AES'), n('CryptographicLength', 256), n('CryptographicUsageMask', 12), active),
  ],
];
export const RSA_PAIR: Item = pairOf([e('CryptographicAlgorithm', 'RSA'), n('CryptographicLength', 2048)]);
export const P256_PAIR: Item = pairOf([e('CryptographicAlgorithm', 'ECDSA'), s('CryptographicDomainParameters', e('RecommendedCurve', 'P_256'))]);

function pairOf(attributes: readonly ReturnType<typeof e>[]): Item {
  return ['CreateKeyPair', [s('CommonAttributes', ...attributes, n('CryptographicUsageMask', 3), active)]];
}

export const signBy = (id: string): Item => ['Sign', [t('UniqueIdentifier', id), b('Data', DATA)]];
export const encryptBy = (id: string): Item => ['Encrypt', [t('UniqueIdentifier', id), GCM, b('Data', DATA)]];
export const getBy = (id: string): Item => ['Get', [t('UniqueIdentifier', id)]];
export const getAttributesBy = (id: string): Item => ['GetAttributes', [t('UniqueIdentifier', id)]];

export interface KeyServer {
  readonly server: ServerProcess;
  readonly inline: InlineProcess;
  readonly aesId: string;
  readonly p256Id: string;
  stop(): Promise<void>;
}

/** @param threads of the inline front */
export async function startKeyServer(config = WITH_EMPTY, threads = INLINE_THREADS): Promise<KeyServer> {
  const server = await startServerProcess(config, 4);
  const { cookie } = server;
  const aesId = memberOf(await server.ask(json(cookie, AES)), 'UniqueIdentifier');
  const p256Id = memberOf(await server.ask(json(cookie, P256_PAIR)), 'PrivateKeyUniqueIdentifier');
  const answers: GivenAnswers = {
    [aesId]: { get: await server.ask(json(cookie, getBy(aesId))), attributes: await server.ask(json(cookie, getAttributesBy(aesId))) },
  };
  const inline = await startInlineFront(server, { threads, encryptId: aesId, signId: p256Id, answers });
  const stop = async () => {
    await inline.stop();
    await server.stop();
  };
  return { server, inline, aesId, p256Id, stop };
}

/** @returns the identifier of a new private key of 2048 bits */
export async function makeRsa({ ask, cookie }: ServerProcess): Promise<string> {
  return memberOf(await ask(json(cookie, RSA_PAIR)), 'PrivateKeyUniqueIdentifier');
}

/** A key for the REST API. @returns a request that encrypts with it */
export async function restEncrypt({ ask, cookie }: ServerProcess): Promise<HttpRequest> {
  const headers = { cookie, 'content-type': 'application/json' };
  const { kid } = JSON.parse(await ask(post('/v1/crypto/keys', headers, JSON.stringify({ kty: 'oct', alg: 'A256GCM' })))) as { kid: string };
  const data = Buffer.from(DATA, 'hex').toString('base64url');
  return post('/v1/crypto/encrypt', headers, JSON.stringify({ kid, alg: 'dir', enc: 'A256GCM', data }));
}

const NAMES_AT_ONCE = 100;

/** Creates keys with names. @returns a request that finds one of them by its name */
export async function makeNamed({ ask, cookie }: ServerProcess, count: number): Promise<HttpRequest> {
  const nameOf = (index: number) => s('Name', t('NameValue', `bench-${index}`), e('NameType', 'UninterpretedTextString'));
  for (let from = 0; from < count; from += NAMES_AT_ONCE) {
    const items = Array.from({ length: Math.min(NAMES_AT_ONCE, count - from) }, (_, index): Item => {
      const [, [type, attributes]] = AES as readonly [string, readonly [ReturnType<typeof e>, ReturnType<typeof s>]];
      return ['Create', [type, { ...attributes, value: [...(attributes.value as unknown[]), nameOf(from + index)] }]];
    });
    await ask(binary(cookie, ...items));
  }
  return json(cookie, ['Locate', [s('Attributes', nameOf(Math.floor(count / 2)))]]);
}
