// Multi-part operations have room for all: ten users who open as many as they may keep nobody from a first one, and lose to nobody but themselves.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import type { StreamOwner, StreamStart } from '../../actors/stream/api.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { decodeJson, encodeJson } from '../../kmip/ttlv/json.ts';
import { boolean, bytes, enumeration, type Node, type Structure, structure } from '../../kmip/ttlv/node.ts';
import { bytesOf, children, codeOf, nameOf, structureOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { streamsHere } from '../fakes/streams.ts';
import { batchItem, requestMessage } from '../fuzz/objects.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import type { Ask } from '../server.ts';

/** What one user may have open, and as many users as together have all that there are. */
const PER_USER = 1_000;
const MANY_USERS = 10;

const SHA = structure(TAG.CryptographicParameters, [enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256)]);
const DATA = bytes(TAG.Data, new Uint8Array(8));
const FIRST = [SHA, DATA, boolean(TAG.InitIndicator, true)];

let server: SecureServer;
test.before(async () => {
  server = await startSecureServer();
});
test.after(() => server?.end());

/** What became of each Hash of one message: a correlation value, or the reason of its refusal. */
async function hashes(ask: Ask, items: readonly (readonly Node[])[]): Promise<(Uint8Array | string)[]> {
  const option = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption.Continue);
  const message = requestMessage(
    { major: 2, minor: 1 },
    items.map((payload) => batchItem('Hash', payload)),
    [option],
  );
  const answer = await ask('POST', '/kmip', { body: Buffer.from(encodeJson(message)).toString() });
  assert.equal(answer.status, 200, answer.text);
  return children(decodeJson(Buffer.from(answer.text)), TAG.BatchItem).map((item) => {
    const reason = codeOf(item as Structure, TAG.ResultReason);
    const payload = structureOf(item as Structure, TAG.ResponsePayload);
    return reason === undefined ? ((payload && bytesOf(payload, TAG.CorrelationValue)) ?? 'no value') : nameOf('ResultReason', reason);
  });
}

const next = (value: Uint8Array | string) => [DATA, bytes(TAG.CorrelationValue, value as Uint8Array)];

test('ten users at their limits: newcomers get room, the others go on, and the largest lose their oldest', async () => {
  const ask = async (name: string) => server.as(await server.client(name));
  const [early, late, ...greedy] = await Promise.all(['early', 'late', ...Array.from({ length: MANY_USERS }, (_, at) => `greedy ${at}`)].map(ask));
  const [before] = await hashes(early as Ask, [FIRST]);
  const opened: (Uint8Array | string)[][] = [];
  for (const user of greedy) opened.push(await hashes(user, Array(PER_USER).fill(FIRST)));
  assert.equal(opened.flat().filter((each) => typeof each === 'string').length, 0, 'each may have its share');
  const [after] = await hashes(late as Ask, [FIRST]);
  assert.ok(after instanceof Uint8Array, `the late one is told ${after}`);
  // Nobody but the greedy has lost anything, and they only as much as others needed.
  for (const [user, value] of [
    [early, before],
    [late, after],
  ] as const)
    assert.ok((await hashes(user as Ask, [next(value as Uint8Array)]))[0] instanceof Uint8Array);
  const left = await Promise.all(greedy.map(async (user, at) => hashes(user, (opened[at] as Uint8Array[]).map(next))));
  const lost = left.flatMap((values) => values.map((value, at) => ({ value, at }))).filter(({ value }) => typeof value === 'string');
  assert.deepEqual(
    lost.map(({ value }) => value),
    ['InvalidCorrelationValue', 'InvalidCorrelationValue'],
  );
  assert.ok(
    lost.every(({ at }) => at === 0),
    'their oldest',
  );
  assert.deepEqual(await hashes(greedy[MANY_USERS - 1] as Ask, [FIRST, FIRST]).then((values) => values.at(-1)), 'ServerLimitExceeded');
});

const owner = (user: string): StreamOwner => ({ kind: 'Encrypt', user, object: 'k' });
function start(user: string, aadBytes: number): StreamStart {
  const [iv, aad] = [randomBytes(12), new Uint8Array(aadBytes)];
  return { ...owner(user), algorithm: 'AES', parameters: { blockCipherMode: 'GCM' }, key: new Uint8Array(16), iv, aad, proof: undefined };
}

test('bytes that streams hold: the user with most of them loses the oldest, and not one who has less', async () => {
  const streams = await streamsHere({ inputBytes: 1_000, heldBytes: 2_500 });
  const begin = async (user: string, aadBytes: number) => (await streams.begin(start(user, aadBytes), new Uint8Array(1))).value;
  const goesOn = (user: string, value: Uint8Array) =>
    streams.update(owner(user), value, new Uint8Array(1)).then(
      () => true,
      () => false,
    );
  // What comes with the beginning counts as well, whatever the algorithm does with it.
  await assert.rejects(begin('alice', 990), { reason: 'ServerLimitExceeded' });
  const alices = [await begin('alice', 400), await begin('alice', 500)];
  const bobs = [await begin('bob', 900)];
  const carols = [await begin('carol', 300)];
  const daves = [await begin('dave', 600)];
  assert.equal(await goesOn('alice', alices[0] as Uint8Array), false, 'the oldest of who has most');
  assert.equal(await goesOn('alice', alices[1] as Uint8Array), true);
  for (const [user, [value]] of [
    ['bob', bobs],
    ['carol', carols],
    ['dave', daves],
  ] as const)
    assert.equal(await goesOn(user, value as Uint8Array), true, user);
  // Who would have most himself is refused.
  await assert.rejects(begin('erin', 980), { reason: 'ServerLimitExceeded' });
  assert.equal(await goesOn('bob', bobs[0] as Uint8Array), true);
});

test.run();
