// Eight threads that hold the same objects in memory: what is taken away through one is refused by all from the moment of the answer.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { IS_ON_POSTGRES } from '../../database.ts';
import { ALICE } from '../../fakes/objects.ts';
import { HARM } from '../../fakes/witnessed-kmip.actor.ts';
import { outcome, until } from '../../runtime.ts';
import { type Answered, aesKey, decryption, encryption, type KeyServerUnderTest, named, revocation, startKeyServer } from './key-server.ts';

const THREADS = 8;
const IN_FLIGHT = 48;
/** Uses per worker, before the change is asked for, and after it was answered. */
const ROUNDS = 4;
const BOB = { ...ALICE, user: 'acme/bob' };

type Use = () => Promise<Answered>;

const server = await startKeyServer({ threads: THREADS });
const { ask, made } = server;
test.after(() => server.end());

interface Seen {
  /** Uses begun after the answer of the change. */
  readonly after: readonly Answered[];
  readonly before: readonly Answered[];
}

/** Keeps many uses in flight while the change is made. */
async function hammer(uses: readonly Use[], change: () => Promise<unknown>): Promise<Seen> {
  const after: Answered[] = [];
  const before: Answered[] = [];
  let isChanged = false;
  const seenByAll = (answers: readonly Answered[]) => answers.length >= IN_FLIGHT * ROUNDS && threadsOf(answers) === THREADS;
  const workers = Array.from({ length: IN_FLIGHT }, async (_, at) => {
    const use = uses[at % uses.length] as Use;
    while (!seenByAll(after)) {
      const list = isChanged ? after : before;
      list.push(await use());
    }
  });
  await until(() => seenByAll(before), 'every thread holds the object', 60_000);
  try {
    await change();
  } finally {
    isChanged = true;
    await Promise.all(workers);
  }
  return { before, after };
}

const threadsOf = (answers: readonly Answered[]) => new Set(answers.map(({ thread }) => thread)).size;

/** Everything worked, from memory, in all threads; afterwards nothing is let through. */
function assertRefused({ before, after }: Seen, reason: RegExp): void {
  assert.equal(threadsOf(before), THREADS);
  assert.equal(threadsOf(after), THREADS);
  assert.equal(after.filter(({ ok }) => ok).length, 0, 'let through after the answer');
  for (const answer of after) assert.match(answer.reason, reason);
}

/** How many objects were read by all threads together while these answers were given: the memory served the others. */
function readsDuring(answers: readonly Answered[]): number {
  const byThread = Map.groupBy(answers, ({ thread }) => thread);
  return [...byThread.values()].reduce((sum, own) => sum + Math.max(...own.map(({ reads }) => reads)) - Math.min(...own.map(({ reads }) => reads)), 0);
}

const ok = async (work: Promise<Answered>) => assert.equal((await work).reason, '');
const encryptOf =
  (id: string, caller = ALICE) =>
  () =>
    ask('Encrypt', encryption(id), caller);

async function keyWithCiphertext(...more: readonly Node[]) {
  const id = await made('Create', aesKey(...more));
  const sealed = await ask('Encrypt', encryption(id));
  return { id, encrypt: encryptOf(id), decrypt: () => ask('Decrypt', decryption(id, sealed)), get: () => ask('Get', [named(id)]) };
}

async function signingKey() {
  const common = structure(TAG.CommonAttributes, [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.Ed25519),
    dateTime(TAG.ActivationDate, 1),
    integer(TAG.CryptographicUsageMask, 0x03),
  ]);
  const id = await made('CreateKeyPair', [common]);
  return { id, sign: () => ask('Sign', [named(id), bytes(TAG.Data, Buffer.from('to be signed'))]) };
}

test('the threads serve from memory with few reads; on PostgreSQL without a lease each use looks', async () => {
  const { id, encrypt } = await keyWithCiphertext();
  await Promise.all(Array.from({ length: THREADS * 4 }, encrypt));
  const answers = await Promise.all(Array.from({ length: 400 }, encrypt));
  assert.equal(threadsOf(answers), THREADS);
  if (IS_ON_POSTGRES) assert.ok(readsDuring(answers) > 0, id);
  else assert.equal(readsDuring(answers), 0, id);
});

test('revoked', async () => {
  const { id, encrypt, get } = await keyWithCiphertext();
  assertRefused(await hammer([encrypt, get], () => ok(ask('Revoke', revocation(id)))), /^(Wrong_Key_Lifecycle_State)/);
});

test('revoked as compromised: a signing key', async () => {
  const { id, sign } = await signingKey();
  assertRefused(await hammer([sign], () => ok(ask('Revoke', revocation(id, 'KeyCompromise')))), /^Wrong_Key_Lifecycle_State/);
});

test('destroyed', async () => {
  const { id, decrypt } = await keyWithCiphertext();
  await ok(ask('Revoke', revocation(id)));
  assertRefused(await hammer([decrypt, decrypt, () => ask('Export', [named(id)])], () => ok(ask('Destroy', [named(id)]))), /^Object_Destroyed/);
});

test('destroyed and removed: the identifier names nothing', async () => {
  const { id, decrypt } = await keyWithCiphertext();
  await ok(ask('Revoke', revocation(id)));
  const seen = await hammer([decrypt], () => ok(ask('Destroy', [named(id), boolean(TAG.Remove, true)])));
  assertRefused(seen, /^(Item|Object)_Not_Found/);
});

test('archived, and there again when it is recovered', async () => {
  const { id, encrypt, decrypt, get } = await keyWithCiphertext();
  assertRefused(await hammer([encrypt, decrypt, get], () => ok(ask('Archive', [named(id)]))), /^Object_Archived/);
  const { after } = await hammer([encrypt, decrypt], () => ok(ask('Recover', [named(id)])));
  assert.ok(after.every((answer) => answer.ok));
});

test('deactivated by a date', async () => {
  const now = Math.floor(server.clock.now() / 1000);
  const { id, encrypt } = await keyWithCiphertext(dateTime(TAG.DeactivationDate, now + 3_600));
  const date = structure(TAG.NewAttribute, [dateTime(TAG.DeactivationDate, now - 1)]);
  assertRefused(await hammer([encrypt], () => ok(ask('ModifyAttribute', [named(id), date]))), /^Wrong_Key_Lifecycle_State/);
});

test('a grant taken away', async () => {
  const { id } = await keyWithCiphertext();
  await server.kmip.grant(id, BOB.user, ['encrypt', 'get'], ALICE);
  const uses = [encryptOf(id, BOB), () => ask('Get', [named(id)], BOB)];
  assertRefused(await hammer(uses, () => server.kmip.revoke(id, BOB.user, ['encrypt', 'get'], ALICE)), /^(Item|Object)_Not_Found/);
});

test('revoked within a batch that is one transaction', async () => {
  const { id, encrypt } = await keyWithCiphertext();
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  const undo = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Undo);
  const header = structure(TAG.RequestHeader, [version, undo, integer(TAG.BatchCount, 1)]);
  const item = structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation.Revoke), structure(TAG.RequestPayload, revocation(id))]);
  const message = encodeBinary(structure(TAG.RequestMessage, [header, item]));
  assertRefused(
    await hammer([encrypt], async () => assert.equal((await server.kmip.serve(message, 'binary', 'any', ALICE)).outcomes[0], 'Revoke:Success')),
    /^Wrong_Key_Lifecycle_State/,
  );
});

test('revoked between two parts of one encryption', async () => {
  const { id } = await keyWithCiphertext();
  const first = await ask('Encrypt', [...encryption(id), boolean(TAG.InitIndicator, true)]);
  const value = bytes(TAG.CorrelationValue, new Uint8Array(Buffer.from(first.members['CorrelationValue'] as string, 'hex')));
  const next = () => ask('Encrypt', [named(id), value, bytes(TAG.Data, Buffer.from('more'))]);
  assert.equal((await next()).reason, '');
  await ok(ask('Revoke', revocation(id)));
  const answers = await Promise.all(Array.from({ length: THREADS * 4 }, next));
  assert.equal(threadsOf(answers), THREADS);
  for (const answer of answers) assert.match(answer.reason, /^Wrong_Key_Lifecycle_State/);
});

test('re-keyed: the keyset leads to the new key, the old one says what replaced it', async () => {
  const keyset = structure(TAG.RotateName, [text(TAG.RotateNameValue, 'rotated'), enumeration(TAG.RotateNameType, 1)]);
  const { id, decrypt } = await keyWithCiphertext(keyset);
  let next = '';
  const attributes = (): Promise<Answered> => ask('GetAttributes', [named(id), enumeration(TAG.AttributeReference, TAG.Link)]);
  const { before, after } = await hammer([encryptOf('rotated'), encryptOf('rotated@latest'), attributes, decrypt], async () => {
    next = await made('ReKey', [named(id)]);
  });
  assert.notEqual(next, id);
  assert.ok(before.flatMap(({ ids }) => ids).every((each) => each === id || each === next));
  assert.equal(threadsOf(after), THREADS);
  for (const answer of after) {
    assert.ok(answer.ok, answer.reason);
    if ('Attributes' in answer.members) assert.ok(JSON.stringify(answer.members).includes(next), 'the link to the replacement');
    else if ('IVCounterNonce' in answer.members) assert.deepEqual(answer.ids, [next]);
    else assert.equal(answer.members['Data'], Buffer.from('protected').toString('hex').toUpperCase());
  }
});

/** Fills the memory of every thread with a key, lets one commit its revocation and die before it could tell, and asks all. */
async function loseTheWriter(under: KeyServerUnderTest, harm: number, end: (writer: Promise<unknown>) => Promise<void>): Promise<readonly Answered[]> {
  const id = await under.made('Create', aesKey());
  const encrypt = () => under.ask('Encrypt', encryption(id));
  await Promise.all(Array.from({ length: THREADS * 8 }, encrypt));
  Atomics.store(under.harm, 0, harm);
  const lost = outcome(under.ask('Revoke', revocation(id)));
  await until(() => Atomics.load(under.harm, 0) === HARM.none, 'a thread has committed');
  await end(lost);
  const { state } = (await under.store.get<{ state: number }>('SELECT state FROM kms_object WHERE id = $1', [id])) as { state: number };
  assert.equal(state, ENUM.State.Deactivated, 'it was committed');
  return Promise.all(Array.from({ length: THREADS * 8 }, encrypt));
}

test('a thread that dies between its commit and telling of it', async () => {
  const answers = await loseTheWriter(server, HARM.exit, async (lost) => assert.equal(await lost, 'ACTOR_LOST'));
  assert.deepEqual(new Set(answers.map(({ ok }) => ok)), new Set([false]));
  assert.ok(threadsOf(answers) >= THREADS - 1);
});

test('a thread that is ended between its commit and telling of it', async () => {
  const answers = await loseTheWriter(server, HARM.hang, async (lost) => {
    const stuck = server.runtime.groups.get('kmip')?.supervisors.find(({ dispatcher: slot }) => slot.busy > 0);
    await stuck?.incarnation?.kill();
    assert.equal(await lost, 'ACTOR_LOST');
  });
  assert.deepEqual(new Set(answers.map(({ ok }) => ok)), new Set([false]));
});

test('without shared counters the same is let through: the memory is what the tests above look at', async () => {
  const apart = await startKeyServer({ threads: THREADS, unshared: true });
  try {
    const id = await apart.made('Create', aesKey());
    const encrypt = () => apart.ask('Encrypt', encryption(id));
    await Promise.all(Array.from({ length: THREADS * 8 }, encrypt));
    assert.ok((await apart.ask('Revoke', revocation(id))).ok);
    const answers = await Promise.all(Array.from({ length: THREADS * 8 }, encrypt));
    assert.equal(threadsOf(answers), THREADS);
    assert.equal(threadsOf(answers.filter(({ ok }) => ok)), THREADS, 'no thread hears of the change');
  } finally {
    await apart.end();
  }
});

test('one key with ten uses left, sixteen at once over eight threads: ten succeed', async () => {
  const limits = (unit: number, total: bigint) =>
    structure(TAG.UsageLimits, [{ tag: TAG.UsageLimitsTotal, type: ENUM.ItemType.LongInteger, value: total }, enumeration(TAG.UsageLimitsUnit, unit)]);
  const { id, encrypt } = await keyOf(limits(ENUM.UsageLimitsUnit.Object, 10n));
  const answers = await Promise.all(Array.from({ length: 16 }, encrypt));
  assert.equal(threadsOf(answers), THREADS);
  assert.equal(answers.filter((answer) => answer.ok).length, 10, id);
  for (const { ok: done, reason } of answers) if (!done) assert.match(reason, /^Permission_Denied: .*exhausted/);
  const ofBytes = await keyOf(limits(ENUM.UsageLimitsUnit.Byte, 50n));
  const spent = await Promise.all(Array.from({ length: 16 }, ofBytes.encrypt));
  assert.equal(spent.filter((answer) => answer.ok).length, 5, 'nine bytes each');
});

async function keyOf(limits: Node) {
  const id = await made('Create', aesKey(limits));
  return { id, encrypt: encryptOf(id) };
}

test.run();
