// RSA PKCS#1 v1.5 on a token, asked by a client who tries paddings: the answers tell nothing of them, as with keys in software.
import assert from 'node:assert/strict';
import { constants, createPublicKey, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import type { Answer } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, startFaulty } from './faulty-server.ts';
import { bytes, done, enumeration, type HsmServer, identifier, integer, kmip, makePair, parameters, refused, structure, text } from './hsm-server.ts';

const BYTES = 256;
const MESSAGE = Buffer.from('a message');
const HEX = MESSAGE.toString('hex').toUpperCase();
const PKCS1 = parameters(enumeration('PaddingMethod', 'PKCS1V1_5'));

class Pair {
  readonly #server: HsmServer;
  readonly #id: string;
  readonly #publicKey: KeyObject;

  constructor(server: HsmServer, id: string, publicKey: KeyObject) {
    this.#server = server;
    this.#id = id;
    this.#publicKey = publicKey;
  }

  decrypt(data: Uint8Array): Promise<Answer> {
    return kmip(this.#server.admin, 'Decrypt', identifier(this.#id), PKCS1, bytes('Data', data));
  }

  async opened(data: Uint8Array): Promise<string> {
    return (await done(this.decrypt(data)))['Data'] as string;
  }

  /** A change of its attributes has the server read the key anew. */
  comment(): Promise<unknown> {
    return done(kmip(this.#server.admin, 'SetAttribute', identifier(this.#id), structure('NewAttribute', text('Comment', 'read anew'))));
  }

  right(): Buffer {
    return publicEncrypt({ key: this.#publicKey, padding: constants.RSA_PKCS1_PADDING }, MESSAGE);
  }

  /** Numbers whose paddings are wrong in all ways. */
  wrong(): Buffer[] {
    const starts = [
      [0, 1],
      [1, 2],
      [0, 2, 1, 1, 1, 0],
      [0, 2],
      [0, 0],
      [0, 3],
    ];
    const blocks = starts.map((start) => Buffer.concat([Buffer.from(start), Buffer.alloc(BYTES - start.length, 7)]));
    // One of some 400 random numbers below the modulus has a right padding.
    const random = Array.from({ length: 10 }, (_, at) => Buffer.concat([Buffer.of(0, 4 + at), randomBytes(BYTES - 2)]));
    return [...blocks, ...random].map((block) => publicEncrypt({ key: this.#publicKey, padding: constants.RSA_NO_PADDING }, block));
  }
}

async function makeRsa(server: HsmServer): Promise<Pair> {
  const id = `${server.prefix}pair`;
  await done(makePair(server.admin, id, enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', BYTES * 8)));
  const told = JSON.stringify(await done(kmip(server.admin, 'Get', identifier(`${id}_pk`), enumeration('KeyFormatType', 'PKCS_1'))));
  const der = Buffer.from(/"KeyMaterial"[^}]*"value":"([0-9A-F]+)"/.exec(told)?.[1] as string, 'hex');
  return new Pair(server, id, createPublicKey({ key: der, format: 'der', type: 'pkcs1' }));
}

if (!skipWithout('softhsm2') && canBuild()) {
  test.after.each(endFaulty);

  test('a wrong padding is answered as a right one, with the same bytes each time', async () => {
    const pair = await makeRsa(await startFaulty('', 'padding'));
    assert.equal(await pair.opened(pair.right()), HEX);
    const answers = new Map<Buffer, string>();
    for (const data of pair.wrong()) answers.set(data, await pair.opened(data));
    await pair.comment();
    for (const [data, before] of answers) assert.equal(await pair.opened(data), before);
    assert.ok(new Set([...answers.values()].map(({ length }) => length)).size > 5);
    assert.equal(await pair.opened(pair.right()), HEX);
  });

  test('where the token removes the padding itself, all that is wrong has one answer', async () => {
    const pair = await makeRsa(await startFaulty('', 'padding only'));
    const told = new Set<string>();
    for (const data of [...pair.wrong(), Buffer.alloc(BYTES, 0xff), Buffer.alloc(BYTES - 1, 1)]) {
      const answer = pair.decrypt(data);
      await refused(answer, /^Cryptographic_Failure: CRYPTO: .*decryption failed$/);
      told.add((await answer).body.message);
    }
    assert.equal(told.size, 1, [...told].join('\n'));
    assert.equal(await pair.opened(pair.right()), HEX);
  });
  test.run();
}
