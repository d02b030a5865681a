// Check, ObtainLease, GetUsageAllocation: what may be done with a key, without doing it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { check } from '../../../../actors/kmip/operations/check.ts';
import { getUsageAllocation } from '../../../../actors/kmip/operations/get-usage-allocation.ts';
import { obtainLease } from '../../../../actors/kmip/operations/obtain-lease.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { dateTime, enumeration, integer, interval, longInteger, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type KeyOptions, payload, refused, secret } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const BIT = MASK.CryptographicUsageMask;
const NOW = 1_700_000_000;
const limits = (total: bigint) =>
  structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Byte)]);
const world = (options: KeyOptions = {}) => new ObjectsInMemory([secret('k', new Uint8Array(32), 'AES', options)], { now: NOW });
const of = (...more: Node[]) => payload({ id: 'k', more });

test('Check answers with the identifier where all is permitted, else fails and empties the placeholder', async () => {
  const ctx = world({ mask: BIT.Encrypt | BIT.Decrypt, attributes: [limits(100n)] });
  const fine = [integer(TAG.CryptographicUsageMask, BIT.Encrypt), longInteger(TAG.UsageLimitsCount, 100n), interval(TAG.LeaseTime, 3600)];
  assert.deepEqual(await check.run(of(), ctx), [text(TAG.UniqueIdentifier, 'k')]);
  assert.deepEqual(await check.run(of(...fine), ctx), [text(TAG.UniqueIdentifier, 'k')]);
  ctx.batch.placeholder = 'k';
  await refused(check.run(of(integer(TAG.CryptographicUsageMask, BIT.Encrypt | BIT.Sign)), ctx), 'IncompatibleCryptographicUsageMask');
  assert.equal(ctx.batch.placeholder, undefined);
  await refused(check.run(of(longInteger(TAG.UsageLimitsCount, 101n)), ctx), 'UsageLimitExceeded');
  await refused(check.run(of(longInteger(TAG.UsageLimitsCount, -1n)), ctx), 'InvalidField');
  await refused(check.run(of(interval(TAG.LeaseTime, 3601)), ctx), 'PermissionDenied', 'lease');
  await refused(check.run(payload({ id: 'x' }), ctx), 'ObjectNotFound');
  assert.equal((await check.run(of(integer(TAG.CryptographicUsageMask, BIT.Sign)), world())).length, 1, 'Unrestricted');
});

test('Check refuses what is destroyed, and a lease for what is compromised, as what would follow it does', async () => {
  for (const state of [ENUM.State.Destroyed, ENUM.State.DestroyedCompromised]) {
    const ctx = world({ state });
    ctx.batch.placeholder = 'k';
    await refused(check.run(of(), ctx), 'ObjectDestroyed');
    assert.equal(ctx.batch.placeholder, undefined);
  }
  const compromised = world({ state: ENUM.State.Compromised });
  await refused(check.run(of(interval(TAG.LeaseTime, 1)), compromised), 'PermissionDenied', 'compromised');
  assert.deepEqual(await check.run(of(), compromised), [text(TAG.UniqueIdentifier, 'k')]);
});

test('ObtainLease tells the lease and the last change', async () => {
  const dates = [dateTime(TAG.InitialDate, 5), dateTime(TAG.LastChangeDate, 7), interval(TAG.LeaseTime, 60)];
  const answer = (lease: number, changed: number) => [text(TAG.UniqueIdentifier, 'k'), interval(TAG.LeaseTime, lease), dateTime(TAG.LastChangeDate, changed)];
  assert.deepEqual(await obtainLease.run(of(), world({ attributes: dates })), answer(60, 7));
  assert.deepEqual(await obtainLease.run(of(), world({ attributes: dates.slice(0, 1) })), answer(3600, 5));
  assert.deepEqual(await obtainLease.run(of(), world()), answer(3600, NOW));
  await refused(obtainLease.run(of(), world({ state: ENUM.State.Compromised })), 'PermissionDenied');
  await refused(obtainLease.run(of(), world({ state: ENUM.State.Destroyed })), 'ObjectDestroyed');
  await refused(obtainLease.run(of(), new ObjectsInMemory([{ ...secret('k', new Uint8Array(32)), archived: true }])), 'ObjectArchived');
});

test('GetUsageAllocation takes units, concurrently never more than there are', async () => {
  const ctx = world({ attributes: [limits(100n)] });
  const take = (units: bigint) => getUsageAllocation.run(of(longInteger(TAG.UsageLimitsCount, units)), ctx);
  assert.deepEqual(await take(40n), [text(TAG.UniqueIdentifier, 'k')]);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => take(25n)));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2);
  assert.equal(ctx.objects.get('k')?.attributes.first(TAG.LastChangeDate)?.value, NOW);
  await refused(take(11n), 'UsageLimitExceeded');
  await take(10n);
  await refused(take(1n), 'UsageLimitExceeded');
  for (const units of [0n, -1n]) await refused(take(units), 'InvalidField');
  assert.deepEqual(ctx.audited, Array(4).fill('key.allocate k'));
});

test('GetUsageAllocation is for active keys that protect and have limits', async () => {
  const take = (options: KeyOptions) => getUsageAllocation.run(of(longInteger(TAG.UsageLimitsCount, 1n)), world(options));
  await refused(take({}), 'AttributeNotFound');
  await refused(take({ attributes: [limits(9n)], mask: BIT.Decrypt }), 'IncompatibleCryptographicUsageMask');
  await refused(take({ attributes: [limits(9n)], state: ENUM.State.PreActive }), 'WrongKeyLifecycleState');
  await refused(take({ attributes: [limits(9n), dateTime(TAG.ProtectStopDate, NOW)] }), 'WrongKeyLifecycleState');
  await refused(getUsageAllocation.run(of(), world()), 'InvalidMessage');
});

test.run();
