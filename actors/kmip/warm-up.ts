// Serves typical messages again and again after the start, with keys in memory that nothing else sees, so that the code is compiled when requests come.
import { generateKeyPairSync, randomBytes, randomUUIDv7 } from 'node:crypto';
import type { Log } from '../../kernel/log/log-entry.ts';
import { AttributeSet } from '../../kmip/attribute/set.ts';
import { keyBlock, symmetricKey } from '../../kmip/key-block.ts';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../kmip/ttlv/json.ts';
import { MASK } from '../../kmip/ttlv/mask.ts';
import { bytes, dateTime, enumeration, integer, type Node, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Answer, Principal } from './api.ts';
import { answerCrypto } from './jose/answer.ts';
import { serve } from './message/serve.ts';
import type { Draft } from './object/managed-object.ts';
import type { KeyServer, Over } from './server.ts';
import { keepRows } from './warm-up-store.ts';

/** Of all messages once. V8 compiles a function after some hundred calls, and again when it knows more. */
const ROUNDS = 500;
/** Requests that come meanwhile wait for at most so long. */
const SLICE_MS = 2;
/** Each of the later keys is read in the middle of the work, as those of requests are: code that has met only keys in memory would be compiled for these alone. */
const KEYS = 8;
const USER = 'warm-up';
const SOURCE = { scheme: 'up', source: '127.0.0.1' } as const;
/** Made in the ways in which those of sessions are. */
const CALLERS: readonly Principal[] = [
  { ...{ user: USER }, ...{ realm: 'warm' }, ...SOURCE },
  { ...{ user: USER, name: 'warm/up' }, ...{ realm: 'warm' }, ...SOURCE },
  { ...{ user: USER, name: 'warm/up' }, ...{ realm: 'warm', realmAccount: 'account:warm' }, ...SOURCE },
];
/** Nothing of the warm-up reaches the store, the audit log or the log. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const DATA = new Uint8Array(64);

/** What a thread serves its requests with. */
export interface Serving {
  /** Builds a key server as that of the thread is built, over other rows: what is compiled for one is then right for the other. */
  serverOver(over: Over): KeyServer;
  /** The arguments of a call in the form in which they arrive in this thread. */
  received<A extends readonly unknown[]>(args: A): A;
}

/** @param server that of the thread: only its objects, its store and its log are others @param idle settles in the next idle moment */
export async function warmUp({ serverOver, received }: Serving, { store: { dialect }, now, log }: KeyServer, idle: () => Promise<void>): Promise<void> {
  const keys = Array.from({ length: KEYS }, () => ({ aes: aesKey(), p256: p256Key() }));
  const { rows, store } = await keepRows(
    keys.flatMap(({ aes, p256 }) => [aes, p256]),
    dialect,
    now,
  );
  const server = serverOver({ rows, store, log: SILENT, requestId: () => undefined });
  const served = keys.map(({ aes, p256 }) => callsOf(server, aes.id, p256.id, received));
  const refused = new Set<string>();
  let endsAt = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const [what, call] of served[Math.floor((round * KEYS) / ROUNDS)] as Calls) {
      if (performance.now() >= endsAt) {
        await idle();
        endsAt = performance.now() + SLICE_MS;
      }
      if (!refused.has(what) && !(await isServed(() => call(CALLERS[round % CALLERS.length] as Principal)))) refused.add(what);
    }
  if (refused.size > 0) log.warn({ refused: [...refused] }, 'the warm-up has left out messages that are refused: is an algorithm switched off?');
}

/** A refusal is to be written to the audit log, which is out of reach here: then it throws. */
async function isServed(call: () => Answer | Promise<Answer>): Promise<boolean> {
  try {
    const { outcomes } = await call();
    return outcomes.every((outcome) => outcome.endsWith(':Success'));
  } catch {
    return false;
  }
}

function aesKey(): Draft {
  const content = symmetricKey(new Uint8Array(randomBytes(32)), 'AES');
  return newKey(ENUM.ObjectType.SymmetricKey, content, 'AES', 256);
}

function p256Key(): Draft {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const material = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }));
  const content = structure(TAG.PrivateKey, [keyBlock({ format: 'PKCS_8', material, algorithm: 'EC', length: 256 })]);
  return newKey(ENUM.ObjectType.PrivateKey, content, 'EC', 256);
}

function newKey(type: Draft['type'], content: Draft['content'], algorithm: 'AES' | 'EC', length: number): Draft {
  const BIT = MASK.CryptographicUsageMask;
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]),
    integer(TAG.CryptographicLength, length),
    integer(TAG.CryptographicUsageMask, BIT.Encrypt | BIT.Decrypt | BIT.Sign),
    ...[TAG.InitialDate, TAG.ActivationDate, TAG.LastChangeDate].map((tag) => dateTime(tag, 0)),
  ];
  const found = AttributeSet.of(structure(TAG.Attributes, attributes));
  return { id: randomUUIDv7(), type, owner: USER, state: ENUM.State.Active, archived: false, attributes: found, content };
}

/** By what they are. */
type Calls = ReadonlyMap<string, (caller: Principal) => Answer | Promise<Answer>>;

function callsOf(server: KeyServer, aes: string, p256: string, received: Serving['received']): Calls {
  const gcm = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
  const payloads = {
    Encrypt: [text(TAG.UniqueIdentifier, aes), gcm, bytes(TAG.Data, DATA)],
    Get: [text(TAG.UniqueIdentifier, aes)],
    GetAttributes: [text(TAG.UniqueIdentifier, aes)],
    Sign: [text(TAG.UniqueIdentifier, p256), bytes(TAG.Data, DATA)],
  } as const;
  const calls = new Map<string, (caller: Principal) => Answer | Promise<Answer>>();
  for (const [name, payload] of Object.entries(payloads) as [keyof typeof payloads, readonly Node[]][]) {
    const json = Buffer.from(encodeJson(structure(TAG.RequestPayload, payload), name));
    calls.set(`${name} in JSON`, (caller) => serve(server, ...received([json, 'json', '2_1', caller] as const)));
    const binary = encodeBinary(requestMessage(ENUM.Operation[name], payload));
    calls.set(`${name} in binary`, (caller) => serve(server, ...received([binary, 'binary', 'any', caller] as const)));
  }
  const body = Buffer.from(JSON.stringify({ kid: aes, alg: 'dir', enc: 'A256GCM', data: Buffer.from(DATA).toString('base64url') }));
  return calls.set('encrypt', (caller) => answerCrypto(server, ...received([{ name: 'encrypt' }, body, caller] as const)));
}

function requestMessage(operation: number, payload: readonly Node[]): Node {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  const item = structure(TAG.BatchItem, [enumeration(TAG.Operation, operation), structure(TAG.RequestPayload, payload)]);
  return structure(TAG.RequestMessage, [structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]), item]);
}
