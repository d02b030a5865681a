// A use of a key that is in memory is answered without waiting: each promise on its way costs as much as a step of the work.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import type { Answer } from '../../../../actors/kmip/api.ts';
import { answerCrypto } from '../../../../actors/kmip/jose/answer.ts';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import type { KeyServer } from '../../../../actors/kmip/server.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../../../kmip/ttlv/json.ts';
import { bytes, enumeration, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { privateKey, secret } from '../../../fakes/keys.ts';
import { ALICE, ObjectsInMemory, UNREAD } from '../../../fakes/objects.ts';

const objects = [
  secret('aes', randomBytes(32)),
  secret('mac', randomBytes(32), 'HMAC_SHA256'),
  privateKey('ec', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'EC'),
];
const held = new Map(objects.map((object) => [object.id, { object, contentBytes: 0, grants: new Map() }]));
const inMemory = new ObjectsInMemory([], { main: { ...UNREAD, held: (id) => held.get(id) } });
const server: KeyServer = Object.create(inMemory.server, { store: { value: {} } });

const id = (value: string): Node => text(TAG.UniqueIdentifier, value);
const data = bytes(TAG.Data, Buffer.from('some data'));
const gcm = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
const CALLS: readonly (readonly [OperationName, ...Node[]])[] = [
  ['Encrypt', id('aes'), gcm, data],
  ['Get', id('aes')],
  ['GetAttributes', id('aes')],
  ['Sign', id('ec'), data],
  ['MAC', id('mac'), data],
];

function requireAtOnce(answer: Answer | Promise<Answer>, outcome: string): void {
  assert.ok(!(answer instanceof Promise), `${outcome} waits for something`);
  assert.deepEqual(answer.outcomes, [outcome]);
}

for (const [operation, ...members] of CALLS)
  test(`${operation} with an object in memory is answered at once`, () => {
    const message = encodeJson(structure(TAG.RequestPayload, members), operation);
    requireAtOnce(serve(server, message, 'json', '2_1', ALICE), `${operation}:Success`);
  });

test('encrypt of the REST API with a key in memory is answered at once', () => {
  const body = Buffer.from(JSON.stringify({ kid: 'aes', alg: 'dir', enc: 'A256GCM', data: 'c29tZSBkYXRh' }));
  requireAtOnce(answerCrypto(server, { name: 'encrypt' }, body, ALICE), 'encrypt:Success');
});

test.run();
