// Which operations the key server leaves to its threads, and which of these it leaves together, so that they share transactions.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { OperationContext } from '../../../actors/kmip/operation-context.ts';
import { OPERATIONS } from '../../../actors/kmip/operations/index.ts';
import { quickOperations } from '../../../actors/kmip/quick.ts';
import { ELSEWHERE, WRITTEN_ELSEWHERE } from '../../../kernel/actor.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { decodeJsonRequest } from '../../../kmip/ttlv/json.ts';
import { enumeration, type Node, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const operations = Object.entries(quickOperations(OPERATIONS));

async function fateOf(name: string, ...members: readonly Node[]): Promise<'served' | 'left' | 'left to be written'> {
  const operation = operations.find(([each]) => each === name)?.[1] ?? assert.fail(`there is no operation ${name}`);
  try {
    await operation.run(structure(TAG.RequestPayload, members), {} as OperationContext);
  } catch (error) {
    if (error === WRITTEN_ELSEWHERE) return 'left to be written';
    if (error === ELSEWHERE) return 'left';
  }
  return 'served';
}

const ofFate = async (fate: string) => {
  const fates = await Promise.all(operations.map(async ([name]) => [name, await fateOf(name)] as const));
  return fates.flatMap(([name, each]) => (each === fate ? [name] : [])).sort();
};

test('operations that change a row or two are left to be written together', async () => {
  assert.deepEqual(await ofFate('left to be written'), [
    ...['Activate', 'AddAttribute', 'AdjustAttribute', 'Archive', 'Create', 'Deactivate', 'DeleteAttribute', 'Destroy'],
    ...['GetUsageAllocation', 'ModifyAttribute', 'Obliterate', 'Recover', 'Revoke', 'SetAttribute'],
  ]);
});

test('operations that take long, or search, are left to any thread', async () => {
  const left = await ofFate('left');
  for (const name of ['CreateKeyPair', 'DeriveKey', 'Locate', 'Certify', 'Import', 'JoinSplitKey', 'ReKeyKeyPair']) assert.ok(left.includes(name), name);
});

test('Register is left to be written together only for what it stores as it is', async () => {
  const register = (type: keyof typeof ENUM.ObjectType) => fateOf('Register', enumeration(TAG.ObjectType, ENUM.ObjectType[type]));
  assert.deepEqual(
    [await register('SymmetricKey'), await register('OpaqueObject'), await register('Certificate'), await register('PrivateKey'), await fateOf('Register')],
    ['left to be written', 'left to be written', 'left', 'left', 'left'],
  );
});

test('what is left whatever it asks for is left before its payload is read', async () => {
  const unread = operations.flatMap(([name, operation]) => (operation.unread ? [name] : [])).sort();
  const always = [...(await ofFate('left')), ...(await ofFate('left to be written'))].filter((name) => name !== 'Register').sort();
  assert.deepEqual(unread, always);
  const { Create } = Object.fromEntries(operations);
  assert.throws(() => Create?.unread?.(), WRITTEN_ELSEWHERE);
  // An unfinished payload: a reader of it would refuse it.
  const begun = new TextEncoder().encode('{"tag":"Create","value":[{');
  const named: number[] = [];
  assert.throws(() => decodeJsonRequest(begun, undefined, (code) => named.push(code)));
  assert.deepEqual(named, [ENUM.Operation.Create]);
});

test.run();
