// When a key may be used: dates that pass, the bits of every operation, and units of its limits.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { requireUse, USE, type Use } from '../../../../actors/kmip/object/life/usage.ts';
import { spendUsage, take, unitsOf, usageLimitsOf } from '../../../../actors/kmip/object/life/usage-limits.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { dateTime, enumeration, longInteger, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { refused, secret } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const BIT = MASK.CryptographicUsageMask;
const KEY = new Uint8Array(32);
const uses: readonly Use[] = Object.values(USE);

test('a date that has passed counts, whether the stored state knows of it or not', async () => {
  const dates = [dateTime(TAG.ActivationDate, 100), dateTime(TAG.DeactivationDate, 200)];
  const key = secret('k', KEY, 'AES', { state: ENUM.State.PreActive, attributes: dates });
  for (const use of uses) {
    await refused(() => requireUse(key, use, 99), 'WrongKeyLifecycleState');
    requireUse(key, use, 100);
    if (use.protects) await refused(() => requireUse(key, use, 200), 'WrongKeyLifecycleState');
    else requireUse(key, use, 200);
  }
});

/** As the specification has it, and not as the code does: what protects, what processes, by which right. */
const PROTECTING = {
  Encrypt: 'Encrypt',
  Sign: 'Sign',
  MAC: 'MAC',
  DeriveKey: 'DeriveKey',
  WrapKey: 'Get',
  GetUsageAllocation: 'GetUsageAllocation',
  Encapsulate: 'Encapsulate',
};
const PROCESSING = { Decrypt: 'Decrypt', SignatureVerify: 'SignatureVerify', MACVerify: 'MACVerify', UnwrapKey: 'Import', Decapsulate: 'Decapsulate' };
const refuses = (key: Draft, name: string, now: number) => refused(() => requireUse(key, USE[name as keyof typeof USE], now), 'WrongKeyLifecycleState');
const allows = (key: Draft, name: string, now: number) => requireUse(key, USE[name as keyof typeof USE], now);

test('protecting ends with the protect stop date or the key; processing begins with the process start date', async () => {
  const rights = Object.fromEntries(Object.entries(USE).map(([name, { operation }]) => [name, operation]));
  assert.deepEqual(rights, { ...PROTECTING, ...PROCESSING });
  const stopped = secret('k', KEY, 'AES', { attributes: [dateTime(TAG.ProtectStopDate, 100)] });
  const started = secret('k', KEY, 'AES', { attributes: [dateTime(TAG.ProcessStartDate, 100)] });
  const over = [ENUM.State.Deactivated, ENUM.State.Compromised].map((state) => secret('k', KEY, 'AES', { state }));
  for (const name of Object.keys(PROTECTING)) {
    allows(stopped, name, 99);
    await refuses(stopped, name, 100);
    allows(started, name, 99);
    for (const key of over) await refuses(key, name, 100);
  }
  for (const name of Object.keys(PROCESSING)) {
    await refuses(started, name, 99);
    allows(started, name, 100);
    for (const key of [stopped, ...over]) allows(key, name, 100);
  }
});

test('each operation needs its bit, or Unrestricted', async () => {
  for (const use of uses) {
    requireUse(secret('k', KEY, 'AES', { mask: use.bits }), use, 0);
    requireUse(secret('k', KEY, 'AES', { mask: BIT.Unrestricted }), use, 0);
    await refused(
      () => requireUse(secret('k', KEY, 'AES', { mask: ~(use.bits | BIT.Unrestricted) }), use, 0),
      'IncompatibleCryptographicUsageMask',
      use.failure,
    );
    await refused(() => requireUse(secret('k', KEY, 'AES', { mask: undefined }), use, 0), 'IncompatibleCryptographicUsageMask');
  }
});

test('the bits of format-preserving encryption are for its keys only', async () => {
  const mask = BIT.FPEEncrypt | BIT.FPEDecrypt;
  for (const use of [USE.Encrypt, USE.Decrypt]) {
    await refused(() => requireUse(secret('k', KEY, 'FPE_FF1', { mask: BIT.Sign }), use, 0), 'IncompatibleCryptographicUsageMask');
    requireUse(secret('k', KEY, 'FPE_FF1', { mask }), use, 0);
    await refused(() => requireUse(secret('k', KEY, 'AES', { mask }), use, 0), 'IncompatibleCryptographicUsageMask');
  }
});

test('destroyed and archived keys are named as such', async () => {
  for (const state of [ENUM.State.Destroyed, ENUM.State.DestroyedCompromised])
    for (const use of uses) await refused(() => requireUse(secret('k', KEY, 'AES', { state }), use, 0), 'ObjectDestroyed');
  for (const use of uses) await refused(() => requireUse({ ...secret('k', KEY), archived: true }, use, 0), 'ObjectArchived');
});

test('units are objects or bytes; the count begins at the total and goes down to zero', async () => {
  assert.equal(usageLimitsOf(secret('k', KEY)), undefined);
  const limits = (unit: number) => structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 5n), enumeration(TAG.UsageLimitsUnit, unit)]);
  const key = secret('k', KEY, 'AES', { attributes: [limits(ENUM.UsageLimitsUnit.Byte)] });
  const left = () => usageLimitsOf(key) as NonNullable<ReturnType<typeof usageLimitsOf>>;
  assert.deepEqual(left(), { total: 5n, count: 5n, unit: ENUM.UsageLimitsUnit.Byte });
  assert.equal(unitsOf(left(), 3), 3n);
  assert.equal(unitsOf({ ...left(), unit: ENUM.UsageLimitsUnit.Object }, 3), 1n);
  take(key, left(), 3n, 'PermissionDenied');
  assert.equal(left().count, 2n);
  await refused(() => take(key, left(), 3n, 'PermissionDenied'), 'PermissionDenied', '2 are left');
  take(key, left(), 2n, 'PermissionDenied');
  assert.deepEqual(left(), { total: 5n, count: 0n, unit: ENUM.UsageLimitsUnit.Byte });
});

test('what has happened to a key since it was looked up counts before anything is taken', async () => {
  const { Byte } = ENUM.UsageLimitsUnit;
  const limits = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 5n), enumeration(TAG.UsageLimitsUnit, Byte)]);
  const lookedUp = secret('k', KEY, 'AES', { attributes: [limits] });
  const left = async (stored: Draft): Promise<bigint | undefined> => {
    const ctx = new ObjectsInMemory([stored]);
    await spendUsage(ctx, lookedUp, USE.Encrypt, 2);
    return usageLimitsOf(ctx.objects.get('k') as Draft)?.count;
  };
  assert.equal(await left(secret('k', KEY, 'AES', { attributes: [limits] })), 3n);
  for (const state of [ENUM.State.Deactivated, ENUM.State.Compromised])
    await refused(() => left(secret('k', KEY, 'AES', { state, attributes: [limits] })), 'WrongKeyLifecycleState');
  await refused(() => left(secret('k', KEY, 'AES', { state: ENUM.State.Destroyed, attributes: [limits] })), 'ObjectDestroyed');
  const few = secret('k', KEY, 'AES', { attributes: [limits] });
  await refused(() => spendUsage(new ObjectsInMemory([few]), lookedUp, USE.Encrypt, 6), 'PermissionDenied');
  await refused(() => spendUsage(new ObjectsInMemory([few]), lookedUp, USE.MAC, 6), 'UsageLimitExceeded');
  // Limits that were taken off meanwhile let it through.
  await spendUsage(new ObjectsInMemory([secret('k', KEY)]), lookedUp, USE.Encrypt, 2);
});

test.run();
