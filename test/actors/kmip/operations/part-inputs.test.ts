// What later parts of a multi-part operation give besides data: the same as the first part, or nothing; and where the tag is before KMIP 1.4.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import type { Operation } from '../../../../actors/kmip/operation.ts';
import { decrypt } from '../../../../actors/kmip/operations/decrypt.ts';
import { encrypt } from '../../../../actors/kmip/operations/encrypt.ts';
import { hash } from '../../../../actors/kmip/operations/hash.ts';
import { mac } from '../../../../actors/kmip/operations/mac.ts';
import { macVerify } from '../../../../actors/kmip/operations/mac-verify.ts';
import { sign } from '../../../../actors/kmip/operations/sign.ts';
import { signatureVerify } from '../../../../actors/kmip/operations/signature-verify.ts';
import { hex, privateKey, publicKey, type Request, refused, run, secret, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';
import { streamsHere } from '../../../fakes/streams.ts';

const IV = hex('000102030405060708090a0b');
const GCM = { blockCipherMode: 'GCM' } as const;
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

async function world(version = { major: 2, minor: 1 }) {
  const keys = [secret('k', new Uint8Array(32)), secret('h', new Uint8Array(32), 'HMAC_SHA256')];
  const objects = [...keys, privateKey('sk', pair.privateKey, 'ECDSA'), publicKey('pk', pair.publicKey, 'ECDSA')];
  return new ObjectsInMemory(objects, { streams: await streamsHere(), version });
}

/** Begins, and gives the others with a next and with the last part. The operation then ends as if they had not been given. */
async function othersRefused(operation: Operation, first: Request, others: readonly Request[], ctx: ObjectsInMemory): Promise<void> {
  const { value } = (await run(operation, ctx, { ...first, data: utf8('one'), init: true })) as { value: Uint8Array };
  const rest: Request = { ...(first.id !== undefined && { id: first.id }), value, data: utf8('two') };
  for (const other of others)
    for (const final of [false, true])
      await refused(run(operation, ctx, { ...rest, ...other, final }), 'InvalidField', 'another one than that of the first part');
  await run(operation, ctx, { ...first, ...rest });
  await run(operation, ctx, { ...rest, final: true });
}

test('inputs that differ from those of the first part are refused, and do not end the operation', async () => {
  const ctx = await world();
  const others = [{ parameters: { blockCipherMode: 'CTR' } }, { iv: hex('00'.repeat(12)) }, { aad: utf8('other') }] as const;
  await othersRefused(encrypt, { id: 'k', parameters: GCM, iv: IV, aad: utf8('aad') }, others, ctx);
  await othersRefused(encrypt, { id: 'k', parameters: GCM, iv: IV }, others, ctx);
  await othersRefused(hash, { parameters: { hashingAlgorithm: 'SHA_256' } }, [{ parameters: { hashingAlgorithm: 'SHA_512' } }], ctx);
  await othersRefused(mac, { id: 'h' }, [{ parameters: { cryptographicAlgorithm: 'HMAC_SHA512' } }], ctx);
  await othersRefused(sign, { id: 'sk', parameters: { hashingAlgorithm: 'SHA_256' } }, [{ parameters: { hashingAlgorithm: 'SHA_512' } }], ctx);
  const { data: sealed } = (await run(encrypt, ctx, { id: 'k', parameters: { blockCipherMode: 'CTR' }, iv: hex('00'.repeat(16)), data: utf8('x') })) as {
    data: Uint8Array;
  };
  assert.equal(sealed.length, 1);
  await othersRefused(decrypt, { id: 'k', parameters: { blockCipherMode: 'CTR' }, iv: hex('00'.repeat(16)) }, [{ iv: hex('01'.repeat(16)) }], ctx);
});

test('the IV that the server has chosen may be repeated', async () => {
  const ctx = await world();
  const { value, iv } = (await run(encrypt, ctx, { id: 'k', parameters: GCM, data: utf8('one'), init: true })) as { value: Uint8Array; iv: Uint8Array };
  await refused(run(encrypt, ctx, { id: 'k', value, iv: IV, data: utf8('two') }), 'InvalidField', 'IVCounterNonce');
  await run(encrypt, ctx, { id: 'k', value, iv, parameters: GCM, data: utf8('two'), final: true });
});

test('a proof comes with the first or the last part, and not another one with each', async () => {
  const ctx = await world();
  const { mac: made } = (await run(mac, ctx, { id: 'h', data: utf8('onetwo') })) as { mac: Uint8Array };
  const begin = async (more: Request) => (await run(macVerify, ctx, { id: 'h', data: utf8('one'), init: true, ...more })).value as Uint8Array;
  const value = await begin({});
  await refused(run(macVerify, ctx, { id: 'h', value, data: utf8('two'), mac: made }), 'InvalidField', 'the first or the last part');
  assert.equal((await run(macVerify, ctx, { id: 'h', value, data: utf8('two'), mac: made, final: true })).valid, true);
  const other = await begin({ mac: new Uint8Array(32) });
  await refused(run(macVerify, ctx, { id: 'h', value: other, data: utf8('two'), mac: made, final: true }), 'InvalidField', 'the first part');
  assert.equal((await run(macVerify, ctx, { id: 'h', value: other, data: utf8('two'), final: true })).valid, false);
});

test('a digest has no parts', async () => {
  const ctx = await world();
  for (const [operation, id] of [
    [sign, 'sk'],
    [signatureVerify, 'pk'],
  ] as const) {
    await refused(run(operation, ctx, { id, digest: new Uint8Array(32), init: true }), 'InvalidField', 'DigestedData');
    const { value } = (await run(operation, ctx, { id, data: utf8('x'), init: true })) as { value: Uint8Array };
    await refused(run(operation, ctx, { id, value, digest: new Uint8Array(32), final: true }), 'InvalidField', 'DigestedData');
  }
});

test('before KMIP 1.4 the data end with the tag, in parts of any size', async () => {
  const ctx = await world({ major: 1, minor: 3 });
  const plain = utf8('a message that is longer than its tag');
  const { data: sealed } = (await run(encrypt, ctx, { id: 'k', parameters: GCM, iv: IV, data: plain })) as { data: Uint8Array };
  for (const size of [1, 5, 16, 17, sealed.length]) {
    const begun = await run(decrypt, ctx, { id: 'k', parameters: GCM, iv: IV, data: sealed.subarray(0, size), init: true });
    const opened = [begun.data as Uint8Array];
    const value = begun.value as Uint8Array;
    for (let at = size; at < sealed.length; at += size)
      opened.push((await run(decrypt, ctx, { id: 'k', value, data: sealed.subarray(at, at + size) })).data as Uint8Array);
    opened.push((await run(decrypt, ctx, { id: 'k', value, final: true })).data as Uint8Array);
    assert.deepEqual(new Uint8Array(Buffer.concat(opened)), plain);
  }
  const { value } = (await run(decrypt, ctx, { id: 'k', parameters: GCM, iv: IV, data: sealed.subarray(1), init: true })) as { value: Uint8Array };
  await refused(run(decrypt, ctx, { id: 'k', value, final: true }), 'CryptographicFailure');
  const short = (await run(decrypt, ctx, { id: 'k', parameters: GCM, iv: IV, data: sealed.subarray(0, 15), init: true })) as { value: Uint8Array };
  await refused(run(decrypt, ctx, { id: 'k', value: short.value, final: true }), 'InvalidField', 'tag');
});

test.run();
