// The key suite through operations: facts, other kinds of keys, many uses at once, limits.
import assert from 'node:assert/strict';
import { keyOf } from '../../../actors/kmip/object/key.ts';
import { decrypt } from '../../../actors/kmip/operations/decrypt.ts';
import { encrypt } from '../../../actors/kmip/operations/encrypt.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, longInteger, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { hex, refused, run } from '../../fakes/keys.ts';
import { AGREEMENTS, MESSAGE, SIGNATURES, WRAPS } from './key-mechanisms.ts';
import { equal, type PlaceUnderTest } from './key-place.ts';

/** GCM, or the mode of tokens that lack it. */
const modeOf = ({ place }: PlaceUnderTest) => ({ blockCipherMode: place.can.has('AES-GCM') ? 'GCM' : 'CBC' }) as const;

/** Registers them. */
export function keyUses(under: PlaceUnderTest): void {
  // A place without secret keys.
  if (!under.place.can.has('AES-CBC')) return;

  under.test('facts are told without the material, which leaves only where it may', async () => {
    const key = await under.secret('AES', WRAPS[0].key);
    assert.deepEqual([key.kind, key.algorithm, key.length, key.curve, key.isForPssOnly], ['secret', 'AES', 128, undefined, false]);
    const pair = under.place.can.has('ECDSA') ? await under.place.pair('pair', 'EC', SIGNATURES.ECDSA.pair) : undefined;
    const ctx = await under.context();
    for (const [kind, object] of [
      ['private', pair?.privateKey],
      ['public', pair?.publicKey],
    ] as const) {
      if (!object) continue;
      const half = keyOf(object, ctx);
      assert.deepEqual([half.kind, half.algorithm, half.length, half.curve], [kind, 'EC', 256, 'P_256']);
    }
    if (under.place.givesMaterial) equal((await key.material()).export(), under.place.takesMaterial ? WRAPS[0].key : (await key.material()).export());
    else await refused(() => key.material(), 'NotExtractable');
  });

  under.test('a key of another kind is refused', async () => {
    const key = await under.secret('AES', WRAPS[0].key);
    await refused(() => key.sign({ parameters: {}, data: MESSAGE }), 'InvalidObjectType');
    await refused(() => key.agree(AGREEMENTS.ECDH.peer.publicKey), 'InvalidObjectType');
    await refused(() => key.publicKey(), 'InvalidObjectType');
  });

  under.test('many uses at once, of operations, each with its own answer', async () => {
    const ctx = await under.context([await under.place.secret('k', 'AES', hex(WRAPS[0].key))]);
    const parameters = modeOf(under);
    await Promise.all(
      Array.from({ length: 64 }, async (_, i) => {
        const data = new Uint8Array(i).fill(i);
        const { id, ...sealed } = await run(encrypt, ctx, { id: 'k', parameters, data });
        assert.equal(id, 'k');
        equal((await run(decrypt, ctx, { ...sealed, id: 'k', parameters })).data as Uint8Array, data);
      }),
    );
  });

  under.test('usage limits, masks and states hold for it, and a refusal spends nothing', async () => {
    const limits = structure(TAG.UsageLimits, [
      longInteger(TAG.UsageLimitsTotal, 100n),
      longInteger(TAG.UsageLimitsCount, 100n),
      enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Byte),
    ]);
    const objects = [
      await under.place.secret('limited', 'AES', hex(WRAPS[0].key), { attributes: [limits] }),
      await under.place.secret('maskless', 'AES', hex(WRAPS[0].key), { mask: undefined }),
      await under.place.secret('revoked', 'AES', hex(WRAPS[0].key), { state: ENUM.State.Deactivated }),
    ];
    const ctx = await under.context(objects);
    const use = (id: string, bytes: number, more = {}) => run(encrypt, ctx, { id, parameters: modeOf(under), data: new Uint8Array(bytes), ...more });
    await refused(use('limited', 60, { parameters: { cryptographicAlgorithm: 'RC4' } }), 'UnsupportedCryptographicParameters');
    await use('limited', 60);
    await refused(use('limited', 41), 'PermissionDenied');
    await use('limited', 40);
    await refused(use('maskless', 1), 'IncompatibleCryptographicUsageMask');
    await refused(use('revoked', 1), 'WrongKeyLifecycleState');
  });
}
