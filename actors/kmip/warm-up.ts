// Serves typical messages again and again after the start, with keys in memory that nothing else sees, so that the code is compiled when requests come.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Store } from '../../kernel/store/store.ts';
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
import type { ManagedObject } from './object/managed-object.ts';
import { ObjectRouter } from './object/object-router.ts';
import type { ObjectSource } from './object/object-source.ts';
import type { KeyServer } from './server.ts';

/** Of all messages once. V8 compiles a function after some hundred calls, and again when it knows more. */
const ROUNDS = 500;
/** Requests that come meanwhile wait for at most so long. */
const SLICE_MS = 2;
const CALLER: Principal = { user: 'warm-up', scheme: 'up', source: '127.0.0.1' };
const DATA = new Uint8Array(64);
const [AES, P256] = ['warm-up-aes', 'warm-up-p256'] as const;

/** @param server that of the thread: only its objects, its store and its log are others @param idle settles in the next idle moment */
export async function warmUp(server: KeyServer, idle: () => Promise<void>): Promise<void> {
  const calls = new Set(callsOf(apart(server)));
  const total = calls.size;
  let endsAt = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const call of calls) {
      if (performance.now() >= endsAt) {
        await idle();
        endsAt = performance.now() + SLICE_MS;
      }
      if (!(await isServed(call))) calls.delete(call);
    }
  if (calls.size < total) server.log.warn({ refused: total - calls.size }, 'the warm-up has left out messages that are refused: is an algorithm switched off?');
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

/** Nothing of it reaches the store, the audit log or the log. */
function apart(server: KeyServer): KeyServer {
  const untouched = (): never => {
    throw new Error('the warm-up does not reach the store');
  };
  const store: Store = { dialect: server.store.dialect, get: untouched, all: untouched, transaction: untouched, close: untouched };
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  return { ...server, store, log: silent, requestId: () => undefined, objects: new ObjectRouter(inMemory([aesKey(), p256Key()], untouched)) };
}

function inMemory(objects: readonly ManagedObject[], untouched: () => never): ObjectSource {
  const held = new Map(objects.map((object) => [object.id, { object, contentBytes: 0, grants: new Map() }]));
  const common = { prefix: '', newIdentifier: untouched, requirePlace: untouched, absence: () => undefined };
  return { ...common, held: (id) => held.get(id), readWhole: async (one) => held.get(one.object.id), within: untouched, find: untouched };
}

function aesKey(): ManagedObject {
  const content = symmetricKey(new Uint8Array(randomBytes(32)), 'AES');
  return newKey(AES, ENUM.ObjectType.SymmetricKey, content, 'AES', 256);
}

function p256Key(): ManagedObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const material = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }));
  const content = structure(TAG.PrivateKey, [keyBlock({ format: 'PKCS_8', material, algorithm: 'EC', length: 256 })]);
  return newKey(P256, ENUM.ObjectType.PrivateKey, content, 'EC', 256);
}

function newKey(id: string, type: ManagedObject['type'], content: ManagedObject['content'], algorithm: 'AES' | 'EC', length: number): ManagedObject {
  const BIT = MASK.CryptographicUsageMask;
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]),
    integer(TAG.CryptographicLength, length),
    integer(TAG.CryptographicUsageMask, BIT.Encrypt | BIT.Decrypt | BIT.Sign),
    ...[TAG.InitialDate, TAG.ActivationDate, TAG.LastChangeDate].map((tag) => dateTime(tag, 0)),
  ];
  const found = AttributeSet.of(structure(TAG.Attributes, attributes));
  return { id, type, owner: CALLER.user, state: ENUM.State.Active, archived: false, attributes: found, content };
}

function callsOf(server: KeyServer): readonly (() => Answer | Promise<Answer>)[] {
  const gcm = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
  const payloads = {
    Encrypt: [text(TAG.UniqueIdentifier, AES), gcm, bytes(TAG.Data, DATA)],
    Get: [text(TAG.UniqueIdentifier, AES)],
    GetAttributes: [text(TAG.UniqueIdentifier, AES)],
    Sign: [text(TAG.UniqueIdentifier, P256), bytes(TAG.Data, DATA)],
  } as const;
  const items = Object.entries(payloads) as [keyof typeof payloads, readonly Node[]][];
  const rest = new TextEncoder().encode(JSON.stringify({ kid: AES, alg: 'dir', enc: 'A256GCM', data: Buffer.from(DATA).toString('base64url') }));
  return [
    ...items.map(([name, payload]) => {
      const message = encodeJson(structure(TAG.RequestPayload, payload), name);
      return () => serve(server, message, 'json', '2_1', CALLER);
    }),
    ...items.map(([name, payload]) => {
      const message = encodeBinary(requestMessage(ENUM.Operation[name], payload));
      return () => serve(server, message, 'binary', 'any', CALLER);
    }),
    () => answerCrypto(server, { name: 'encrypt' }, rest, CALLER),
  ];
}

function requestMessage(operation: number, payload: readonly Node[]): Node {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  const item = structure(TAG.BatchItem, [enumeration(TAG.Operation, operation), structure(TAG.RequestPayload, payload)]);
  return structure(TAG.RequestMessage, [structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]), item]);
}
