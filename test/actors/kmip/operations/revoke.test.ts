// Revoke: a compromise has a date of occurrence, other reasons have none (KMIP 2.1 section 6.1.44).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { deactivate } from '../../../../actors/kmip/operations/deactivate.ts';
import { revoke } from '../../../../actors/kmip/operations/revoke.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { payload, refused, secret } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

type Reason = keyof typeof ENUM.RevocationReasonCode;

const NOW = 1_700_000_000;
const OCCURRED = dateTime(TAG.CompromiseOccurrenceDate, 5);
const world = (...attributes: readonly Node[]) => new ObjectsInMemory([secret('k', new Uint8Array(32), 'AES', { attributes })], { now: NOW });
const because = (reason: Reason) => structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode[reason])]);

test('a compromise occurred when the client says, else at the initial date of the object', async () => {
  for (const reason of ['KeyCompromise', 'CACompromise'] as const)
    for (const [given, stored] of [
      [[OCCURRED], 5],
      [[], NOW - 9],
    ] as const) {
      const ctx = world(dateTime(TAG.InitialDate, NOW - 9));
      await revoke.run(payload({ id: 'k', more: [because(reason), ...given] }), ctx);
      const key = ctx.objects.get('k');
      assert.deepEqual([key?.state, key?.attributes.first(TAG.CompromiseOccurrenceDate)?.value], [ENUM.State.Compromised, stored]);
    }
});

test('for any other reason a date of compromise is refused, and the key stays active', async () => {
  for (const reason of Object.keys(ENUM.RevocationReasonCode) as Reason[]) {
    if (reason === 'KeyCompromise' || reason === 'CACompromise') continue;
    const ctx = world();
    await refused(revoke.run(payload({ id: 'k', more: [because(reason), OCCURRED] }), ctx), 'InvalidField', 'CompromiseOccurrenceDate');
    assert.equal(ctx.objects.get('k')?.state, ENUM.State.Active);
    await revoke.run(payload({ id: 'k', more: [because(reason)] }), ctx);
    assert.equal(ctx.objects.get('k')?.state, ENUM.State.Deactivated);
  }
});

test('a compromise cannot occur in the future, but the clock of a client may be some minutes ahead', async () => {
  for (const [ahead, stored] of [
    [300, true],
    [301, false],
    [40_000_000_000, false],
  ] as const) {
    const ctx = world();
    const run = revoke.run(payload({ id: 'k', more: [because('KeyCompromise'), dateTime(TAG.CompromiseOccurrenceDate, NOW + ahead)] }), ctx);
    await (stored ? run : refused(run, 'InvalidField', 'CompromiseOccurrenceDate is in the future'));
    const key = ctx.objects.get('k');
    assert.deepEqual(
      [key?.state, key?.attributes.first(TAG.CompromiseOccurrenceDate)?.value],
      stored ? [ENUM.State.Compromised, NOW + ahead] : [ENUM.State.Active, undefined],
    );
  }
});

test('the message of a reason is a text of some length, since each use of the object reads it', async () => {
  const told = (message: Node) => [enumeration(message.tag === TAG.RevocationMessage ? TAG.RevocationReasonCode : TAG.DeactivationReasonCode, 1), message];
  const revoked = (message: Node, ctx = world()) => revoke.run(payload({ id: 'k', more: [structure(TAG.RevocationReason, told(message))] }), ctx);
  const ended = (message: Node) => deactivate.run(payload({ id: 'k', more: [structure(TAG.DeactivationReason, told(message))] }), world());
  await refused(revoked(text(TAG.RevocationMessage, 'x'.repeat(4_097))), 'InvalidField', 'at most 4096 characters');
  await refused(revoked(integer(TAG.RevocationMessage, 1)), 'InvalidMessage', 'RevocationMessage');
  await refused(ended(text(TAG.DeactivationMessage, 'x'.repeat(4_097))), 'InvalidField', 'at most 4096 characters');
  await ended(text(TAG.DeactivationMessage, 'x'.repeat(4_096)));
  const ctx = world();
  const longest = text(TAG.RevocationMessage, '😀'.repeat(4_096));
  await revoked(longest, ctx);
  assert.deepEqual(ctx.objects.get('k')?.attributes.first(TAG.RevocationReason), structure(TAG.RevocationReason, told(longest)));
});

test.run();
