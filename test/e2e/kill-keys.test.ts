// kill -9 at random moments of creating, rotating, destroying and granting keys: of every key the old or the new one is usable, and nothing is half there.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { indexTerms } from '../../actors/kmip/object/index-terms.ts';
import type { ManagedObject } from '../../actors/kmip/object/managed-object.ts';
import { AttributeSet } from '../../kmip/attribute/set.ts';
import { decodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../kmip/ttlv/node.ts';
import { codeOf, textOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { until } from '../runtime.ts';
import { temporaryFolder } from '../server.ts';
import { KeyClient } from './key-client.ts';
import { KeyLedger } from './key-ledger.ts';
import { exitOf, integrity, rowsOf, type Started, serverPid, start } from './started.ts';

const ROUNDS = 12;
const WRITERS = 6;
const env = { GATEHOUSE_ADMIN_PASSWORD: 'initial password' };

interface Row {
  readonly id: string;
  readonly object_type: number;
  readonly state: number;
  readonly owner: string;
  readonly attributes: Buffer;
}

const read = (row: Row): ManagedObject => ({
  id: row.id,
  type: row.object_type as ManagedObject['type'],
  state: row.state as ManagedObject['state'],
  owner: row.owner,
  archived: false,
  attributes: AttributeSet.of(decodeBinary(row.attributes)),
  content: undefined,
});

/** Looks at the file while no server runs, with another library. */
async function checkFile(path: string): Promise<number> {
  assert.equal(await integrity(path), 'ok');
  const objects = (await rowsOf<Row>(path, 'SELECT id, object_type, state, owner, attributes FROM kms_object')).map(read);
  const byId = new Map(objects.map((object) => [object.id, object]));
  const terms = await rowsOf<{ object_id: string; owner: string; tag: number; value: string }>(path, 'SELECT object_id, owner, tag, value FROM kms_attribute');
  const indexed = Map.groupBy(terms, ({ object_id }) => object_id);
  for (const object of objects) {
    const expected = indexTerms(object).map(({ tag, value }) => `${object.owner} ${tag} ${value}`);
    assert.deepEqual((indexed.get(object.id) ?? []).map(({ owner, tag, value }) => `${owner} ${tag} ${value}`).sort(), expected.sort(), object.id);
    indexed.delete(object.id);
    for (const { node } of object.attributes.all(TAG.Link)) assertLinked(object, node as Structure, byId);
  }
  assert.equal(indexed.size, 0, 'index rows of no object');
  assert.deepEqual(await rowsOf(path, "SELECT object_id FROM kms_grant WHERE object_id <> '*' AND object_id NOT IN (SELECT id FROM kms_object)"), []);
  return objects.length;
}

const { LinkType, ObjectType } = ENUM;

/** What leads back, by the kind of object and of link. An old key may be replaced again: then it leads to the last replacement only. */
function wayBack(type: number, link: number): number | undefined {
  if (link === LinkType.ReplacementObjectLink) return LinkType.ReplacedObjectLink;
  if (type === ObjectType.PrivateKey && link === LinkType.PublicKeyLink) return LinkType.PrivateKeyLink;
  if (type === ObjectType.PublicKey && link === LinkType.PrivateKeyLink) return LinkType.PublicKeyLink;
  return undefined;
}

/** A link leads to an object that is there, and that of a pair or to a replacement leads back. */
function assertLinked({ id, type }: ManagedObject, link: Structure, byId: ReadonlyMap<string, ManagedObject>): void {
  const to = byId.get(textOf(link, TAG.LinkedObjectIdentifier) ?? '');
  assert.ok(to, `a link of ${id} leads nowhere`);
  const back = wayBack(type, codeOf(link, TAG.LinkType) as number);
  if (back === undefined) return;
  const leadsBack = to.attributes.all(TAG.Link).some(({ node }) => {
    return node.type === TYPE.Structure && textOf(node, TAG.LinkedObjectIdentifier) === id && codeOf(node, TAG.LinkType) === back;
  });
  assert.ok(leadsBack, `${to.id} does not lead back to ${id}`);
}

async function killUnderWrites(server: Started, client: KeyClient, ledger: KeyLedger): Promise<void> {
  const from = ledger.answered;
  const most = 10 + Math.floor(Math.random() * 20);
  const writers = Array.from({ length: WRITERS }, () => ledger.writeOn(client));
  const all = Promise.all(writers);
  all.catch((error: unknown) => console.log(String(error)));
  await until(() => ledger.answered - from >= most, `${most} writes are answered`, 60_000);
  // Not at the moment of an answer: anywhere between two.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
  process.kill(serverPid(server), 'SIGKILL');
  await all;
  await exitOf(server.child);
}

test('keys under kill -9', async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const file = join(dataDir, 'gatehouse.db');
  writeFileSync(join(folder, 'config.toml'), '[keys]\nrotation_check_seconds = 1\n');
  const args = ['--config', join(folder, 'config.toml')];
  const ledger = new KeyLedger();
  let server = await start(dataDir, args, env);
  // A test that fails must not leave a server behind; one that has ended does not mind.
  const kill = () => void server.child.kill('SIGKILL');
  process.on('exit', kill);
  test.after(kill);
  const cookie = (await server.ask('POST', '/login?realm=_', { user: 'admin:initial password', body: { new_password: 'a new password' } })).cookie as string;
  let objects = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await killUnderWrites(server, new KeyClient(server.ask, cookie), ledger);
    objects = await checkFile(file);
    server = await start(dataDir, args, env);
    assert.deepEqual(await ledger.check(new KeyClient(server.ask, cookie)), []);
  }
  const automatic = await ledger.rotatedByItself(new KeyClient(server.ask, cookie));
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  await checkFile(file);
  console.log(`${ledger.answered} writes answered, ${ROUNDS} kills, ${objects} objects, ${ledger.rotations} rotations, ${automatic} by themselves`);
  assert.ok(ledger.answered >= ROUNDS * 10 && ledger.rotations > 10 && automatic > 0);
  process.off('exit', kill);
  rmSync(folder, { recursive: true });
});

test.run();
