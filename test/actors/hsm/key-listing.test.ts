// The list of the keys of a token: how often it searches the token, and which public key a pair has.
import assert from 'node:assert/strict';
import type pkcs11js from 'pkcs11js';
import { test } from 'uvu';
import { listKeys } from '../../../actors/hsm/token/key-listing.ts';
import { Token } from '../../../actors/hsm/token/token.ts';
import { CKA, CKK, CKO } from '../../../kmip/pkcs11.ts';

type Stored = Readonly<Record<number, Buffer>>;

const ulong = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const bytesOf = ({ value }: pkcs11js.Attribute): Buffer =>
  typeof value === 'number' ? ulong(value) : typeof value === 'boolean' ? Buffer.of(Number(value)) : Buffer.from(value as string);

/** A library with these objects, which counts searches. */
function tokenWith(objects: readonly Stored[]) {
  const counted = { searches: 0 };
  let found: Buffer[] = [];
  const calls = {
    C_FindObjectsInit(_: unknown, template: pkcs11js.Attribute[]) {
      counted.searches++;
      found = objects.flatMap((object, at) => (template.every((each) => object[each.type]?.equals(bytesOf(each))) ? [ulong(at)] : []));
    },
    C_FindObjects: () => found.splice(0),
    C_FindObjectsFinal() {},
    C_GetAttributeValue: (_: unknown, handle: Buffer, types: { type: number }[]) =>
      types.map(({ type }) => {
        const value = objects[Number(handle.readBigUInt64LE())]?.[type];
        if (!value) throw Object.assign(new Error('CKR_ATTRIBUTE_TYPE_INVALID'), { code: 0x12 });
        return { type, value };
      }),
  };
  const token = new Token({ library: calls as never, session: ulong(1), mechanisms: new Set(), handles: new Map(), quirks: {} });
  return { token, counted };
}

const common = (objectClass: number, id: string, label: string): Stored => ({
  ...{ [CKA.CLASS]: ulong(objectClass), [CKA.TOKEN]: Buffer.of(1), [CKA.KEY_TYPE]: ulong(CKK.EC), [CKA.ID]: Buffer.from(id), [CKA.LABEL]: Buffer.from(label) },
});
const privateKey = (id: string, label = id): Stored => common(CKO.PRIVATE_KEY, id, label);
const secretKey = (id: string, label = id): Stored => common(CKO.SECRET_KEY, id, label);
const publicKey = (point: number, id: string, label = id): Stored => ({
  ...common(CKO.PUBLIC_KEY, id, label),
  ...{ [CKA.EC_PARAMS]: Buffer.of(6, 1, 1), [CKA.EC_POINT]: Buffer.of(4, point) },
});

test('a list of pairs searches once for each class of keys, however many pairs there are', () => {
  const names = Array.from({ length: 100 }, (_, at) => `pair ${at}`);
  const { token, counted } = tokenWith(names.flatMap((name, at) => [privateKey(name), publicKey(at, name)]));
  const listed = listKeys(token);
  assert.equal(counted.searches, 3);
  assert.equal(listed.length, 200);
  for (const { name, publicKey: half } of listed) assert.deepEqual(half && 'point' in half && [...half.point], [4, names.indexOf(name)], name);
});

test('a pair has the public key of its CKA_ID, else of its label, and none of several', () => {
  const { token } = tokenWith([
    ...[privateKey('by id', 'other'), publicKey(1, 'by id', 'no label'), publicKey(2, 'x', 'by id')],
    ...[privateKey('by label'), publicKey(3, 'y', 'by label')],
    ...[privateKey('twice'), publicKey(4, 'twice'), publicKey(5, 'twice')],
  ]);
  const halves = listKeys(token).flatMap(({ kind, name, publicKey: half }) => (kind === 'private' ? [[name, half && 'point' in half && half.point[1]]] : []));
  assert.deepEqual(halves, [
    ['by id', 1],
    ['by label', 3],
    ['twice', undefined],
  ]);
});

test('the halves of a pair have one CKA_ID, whatever their labels, and each has the name of the other', () => {
  const { token } = tokenWith([
    ...[privateKey('\u0001', 'private'), publicKey(1, '\u0001', 'public')],
    ...[privateKey('\u0002', 'swapped'), publicKey(2, '\u0002', 'other'), privateKey('\u0003', 'other'), publicKey(3, '\u0003', 'swapped')],
  ]);
  const told = listKeys(token).map(({ kind, name, pairName, publicKey: half }) => [kind, name, pairName, half && 'point' in half && half.point[1]]);
  assert.deepEqual(told, [
    ...[
      ['private', 'private', 'public', 1],
      ['private', 'swapped', 'other', 2],
      ['private', 'other', 'swapped', 3],
    ],
    ...[
      ['public', 'public', 'private', 1],
      ['public', 'other', 'swapped', 2],
      ['public', 'swapped', 'other', 3],
    ],
  ]);
});

test('keys of one kind with one CKA_ID have no name, and what others are called does not change', () => {
  const { token } = tokenWith([
    ...[secretKey('twice', 'one'), secretKey('twice', 'other'), secretKey('once', 'twice')],
    ...[privateKey('pair'), publicKey(1, 'pair'), publicKey(2, 'pair', 'copy')],
  ]);
  assert.deepEqual(
    listKeys(token).map(({ kind, name }) => [kind, name]),
    [
      ['secret', 'once'],
      ['private', 'pair'],
    ],
  );
});

test('the half of a private key is there, or told by the key alone, or nobody knows it', () => {
  const rsa = (id: string): Stored => ({
    ...privateKey(id),
    ...{ [CKA.KEY_TYPE]: ulong(CKK.RSA), [CKA.MODULUS]: Buffer.of(9), [CKA.PUBLIC_EXPONENT]: Buffer.of(3) },
  });
  const { token } = tokenWith([
    ...[rsa('pair'), publicKey(1, 'pair'), rsa('alone'), rsa('of several'), publicKey(2, 'of several'), publicKey(3, 'of several')],
    ...[privateKey('without numbers')],
  ]);
  assert.deepEqual(
    listKeys(token).map(({ kind, name, half }) => [kind, name, half]),
    [
      ...[
        ['private', 'pair', 'there'],
        ['private', 'alone', 'told'],
        ['private', 'of several', undefined],
      ],
      ...[
        ['private', 'without numbers', undefined],
        ['public', 'pair', undefined],
      ],
    ],
  );
});

test('a label that another key has, or is called by, names no second key', () => {
  const { token } = tokenWith([
    ...[secretKey('\u0001', 'label'), privateKey('\u0002', 'label'), publicKey(1, '\u0002', 'label')],
    ...[privateKey('\u0003', 'called'), secretKey('called', 'otherwise'), publicKey(2, '\u0003', 'called')],
    ...[secretKey('\u0004', 'of a pair'), privateKey('of a pair', '')],
  ]);
  const told = listKeys(token).map(({ kind, name, pairName }) => [kind, name, pairName]);
  assert.deepEqual(told.toSorted(), [
    ...[
      ['private', '0x02', 'label'],
      ['private', '0x03', 'called'],
      ['private', 'of a pair', undefined],
    ],
    ...[
      ['public', 'called', '0x03'],
      ['public', 'label', '0x02'],
    ],
    ...[
      ['secret', '0x04', undefined],
      ['secret', 'called', undefined],
      ['secret', 'label', undefined],
    ],
  ]);
});

test.run();
