// Items of a batch that take data and identifiers from the answers to earlier items, and data that no answer shows (KMIP 2.1 sections 4.58, 7.9 and 9.2).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import { withData } from '../../../actors/kmip/earlier.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, codeOf, nameOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { ENCODINGS, type KmipClient, textIn } from './kmip-client.ts';
import { ID, newKey, newPair } from './operation-requests.ts';

const alice = caller('alice');
const TEXT = Buffer.from('what only the server sees');
const DATA = bytes(TAG.Data, TEXT);
const the = (name: keyof typeof ENUM.Data): Node => enumeration(TAG.Data, ENUM.Data[name]);
const nth = (place: number): Node => integer(TAG.Data, place);
const parameters = (...nodes: readonly Node[]) => structure(TAG.CryptographicParameters, nodes);
const CBC = parameters(enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.CBC), enumeration(TAG.PaddingMethod, ENUM.PaddingMethod.PKCS5));
const IV = bytes(TAG.IVCounterNonce, new Uint8Array(16));
const SHA = parameters(enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256));
const HMAC = parameters(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.HMAC_SHA256));
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();

const payloadOf = (item: Structure | undefined): Structure => {
  const message = item && textOf(item, TAG.ResultMessage);
  assert.ok(item && codeOf(item, TAG.ResultStatus) === ENUM.ResultStatus.Success, message);
  return structureOf(item, TAG.ResponsePayload) ?? structure(TAG.ResponsePayload, []);
};
const dataOf = (item: Structure | undefined, tag: number = TAG.Data): Buffer => Buffer.from(required(bytesOf(payloadOf(item), tag), tag));
const reasonOf = (item: Structure | undefined): string => nameOf('ResultReason', required(codeOf(item as Structure, TAG.ResultReason), TAG.ResultReason));

for (const minor of [0, 1] as const)
  for (const encoding of Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[]) {
    const client: KmipClient = alice.client({ major: 2, minor, encoding });

    test(`KMIP 2.${minor}, ${encoding}: data goes from one key to another, and the client never sees it`, async () => {
      const [from, to] = [await newKey(client), await newKey(client)];
      const sealed = bytes(TAG.Data, required(bytesOf(await client.do('Encrypt', ID(from), CBC, DATA, IV), TAG.Data), TAG.Data));
      const items = await client.askAll(
        [],
        [
          ['Decrypt', ID(from), CBC, sealed, IV],
          ['Encrypt', ID(to), CBC, the('Decrypt'), IV],
          ['Decrypt', ID(to), CBC, nth(-1), IV],
        ],
        { ephemeral: [0] },
      );
      assert.equal(child(payloadOf(items[0]), TAG.Data), undefined);
      assert.equal(textIn(payloadOf(items[0]), TAG.UniqueIdentifier), from);
      assert.notDeepEqual(dataOf(items[1]), TEXT);
      assert.deepEqual(dataOf(items[2]), TEXT);
    });
  }

const client = alice.client({ major: 2, minor: 1, encoding: 'binary' });

test('each operation that answers data gives it to later items, by its name and by its place', async () => {
  const [key, { privateKey, publicKey }] = [await newKey(client), await newPair(client)];
  const items = await client.askAll(
    [],
    [
      ['RNGRetrieve', integer(TAG.DataLength, 20)],
      ['Hash', SHA, the('RNGRetrieve')],
      ['MAC', ID(key), HMAC, the('Hash')],
      ['Hash', SHA, the('MACMACData')],
      ['Sign', ID(privateKey), nth(0)],
      ['Hash', SHA, the('SignSignatureData')],
      ['Hash', SHA, nth(-2)],
      ['Hash', SHA, the('Hash')],
    ],
  );
  const made = [dataOf(items[0]), dataOf(items[1]), dataOf(items[2], TAG.MACData), dataOf(items[3]), dataOf(items[4], TAG.SignatureData), dataOf(items[5])];
  assert.deepEqual(made[1], sha256(made[0] as Buffer));
  assert.deepEqual(made[3], sha256(made[2] as Buffer));
  assert.deepEqual(made[5], sha256(made[4] as Buffer));
  assert.deepEqual(dataOf(items[6]), sha256(made[4] as Buffer), 'the one before the last');
  assert.deepEqual(dataOf(items[7]), sha256(dataOf(items[6])), 'the last of several');
  const verified = await client.do('SignatureVerify', ID(publicKey), bytes(TAG.Data, made[0] as Buffer), bytes(TAG.SignatureData, made[4] as Buffer));
  assert.equal(codeOf(verified, TAG.ValidityIndicator), ENUM.ValidityIndicator.Valid);
});

test('no data that an item with Ephemeral makes is shown: MACs and signatures neither', async () => {
  const [key, { privateKey }] = [await newKey(client), await newPair(client)];
  const items = await client.askAll(
    [],
    [
      ['MAC', ID(key), HMAC, DATA],
      ['Sign', ID(privateKey), DATA],
      ['Hash', SHA, the('MACMACData')],
    ],
    { ephemeral: [0, 1] },
  );
  assert.deepEqual(
    [payloadOf(items[0]), payloadOf(items[1])].map(({ value }) => value.map(({ tag }) => tag)),
    [[TAG.UniqueIdentifier], [TAG.UniqueIdentifier]],
  );
  assert.equal(dataOf(items[2]).length, 32);
});

test('an identifier is the nth that the message has answered so far, or counted back from the item', async () => {
  const key = await newKey(client);
  const at = (place: number) => integer(TAG.UniqueIdentifier, place);
  const items = await client.askAll(
    [],
    [
      ['GetAttributeList', ID(key)],
      ['CreateKeyPair', ...pair()],
      ['GetAttributeList', at(0)],
      ['GetAttributeList', at(-2)],
      ['GetAttributeList', at(2)],
      ['GetAttributeList', at(6)],
      ['GetAttributeList', at(-7)],
    ],
  );
  const made = payloadOf(items[1]);
  const told = items.slice(2, 5).map((item) => textIn(payloadOf(item), TAG.UniqueIdentifier));
  assert.deepEqual(told, [key, textIn(made, TAG.PublicKeyUniqueIdentifier), textIn(made, TAG.PublicKeyUniqueIdentifier)]);
  assert.deepEqual(items.slice(5).map(reasonOf), ['InvalidField', 'InvalidField']);
});

function pair(): Node[] {
  const attributes = [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.Ed25519), integer(TAG.CryptographicUsageMask, 3)];
  return [structure(TAG.CommonAttributes, attributes)];
}

test('what no earlier item has answered, or only one that failed, is refused by name', async () => {
  const items = await client.askAll(
    [],
    [
      ['Hash', SHA, the('Decrypt')],
      ['Decrypt', ID('nothing'), DATA],
      ['Hash', SHA, the('Decrypt')],
      ['Hash', SHA, nth(0)],
      ['Hash', SHA, enumeration(TAG.Data, 0x77)],
      ['Hash', SHA, text(TAG.Data, 'a text')],
    ],
  );
  assert.deepEqual(items.map(reasonOf), ['InvalidField', 'ItemNotFound', 'InvalidField', 'InvalidField', 'InvalidField', 'InvalidMessage']);
  assert.match(textOf(items[0] as Structure, TAG.ResultMessage) ?? '', /no earlier item of this batch has made the Data that Decrypt stands for/);
  assert.match((await client.refusals('Hash', [[SHA, nth(0)]]))[0]?.message ?? '', /no Data 0/);
  const old = alice.client({ major: 1, minor: 4, encoding: 'binary' });
  assert.ok(
    (
      await old.askAll(
        [],
        [
          ['RNGRetrieve', integer(TAG.DataLength, 4)],
          ['Hash', SHA, nth(0)],
        ],
      )
    ).map((item) => codeOf(item, TAG.ResultStatus))[1] === ENUM.ResultStatus.OperationFailed,
  );
});

test('in a batch that is undone as a whole, and in items that are answered later, references mean the same', async () => {
  const undoable = await client.askAll(
    [],
    [
      ['RNGRetrieve', integer(TAG.DataLength, 4)],
      ['Hash', SHA, the('RNGRetrieve')],
    ],
    { onError: 'Undo' },
  );
  assert.deepEqual(dataOf(undoable[1]), sha256(dataOf(undoable[0])));
  const rsa = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.RSA),
    integer(TAG.CryptographicLength, 2_048),
    integer(TAG.CryptographicUsageMask, 3),
  ];
  const optional = enumeration(TAG.AsynchronousIndicator, ENUM.AsynchronousIndicator.Optional);
  const [first, , later, last] = await client.askAll(
    [optional],
    [
      ['RNGRetrieve', integer(TAG.DataLength, 4)],
      ['CreateKeyPair', structure(TAG.CommonAttributes, rsa)],
      ['Hash', SHA, the('RNGRetrieve')],
      ['Hash', SHA, nth(-1)],
    ],
  );
  const once = await polled(later);
  assert.deepEqual(once, sha256(dataOf(first)));
  assert.deepEqual(await polled(last), sha256(once));
});

async function polled(pending: Structure | undefined): Promise<Buffer> {
  const value = bytes(
    TAG.AsynchronousCorrelationValue,
    required(bytesOf(pending as Structure, TAG.AsynchronousCorrelationValue), TAG.AsynchronousCorrelationValue),
  );
  for (;;) {
    const { status, payload } = await client.ask('Poll', value);
    if (status !== 'OperationPending') return Buffer.from(required(bytesOf(payload, TAG.Data), TAG.Data));
  }
}

test('the items of a batch take no more from each other than a message can hold', () => {
  const earlier = [{ operation: 'Decrypt', members: [bytes(TAG.Data, new Uint8Array(40 * 1024 * 1024))] }] as const;
  const batch = { placeholder: undefined, made: undefined, earlier: [...earlier] };
  const payload = structure(TAG.RequestPayload, [SHA, the('Decrypt')]);
  assert.equal(bytesOf(withData(payload, batch), TAG.Data)?.length, 40 * 1024 * 1024);
  assert.throws(() => withData(payload, batch), /at most 67108864 bytes of Data from each other/);
});

test.run();
