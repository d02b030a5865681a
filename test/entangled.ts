// Two holders of keys who have much with each other before one of them is deleted, and what whoever comes next under that name must not have of it.
import assert from 'node:assert/strict';
import type { KeyHolder } from './key-holder.ts';

/** What somebody has before they are deleted: a key of their own, which another may use, and the use of that one's key. */
export async function entangle(one: KeyHolder, other: KeyHolder): Promise<{ own: string; lent: string }> {
  const own = await one.create('theirs');
  // The other may be entangled with several, and gives no name twice.
  const lent = await other.create(`lent for ${own}`);
  await one.grant(own, (await other.me()).user);
  await other.grant(lent, (await one.me()).user);
  assert.ok((await one.canUse(own)) && (await one.canUse(lent)) && (await other.canUse(own)));
  return { own, lent };
}

export async function hasNothing(one: KeyHolder, other: KeyHolder, { own, lent }: { own: string; lent: string }): Promise<void> {
  assert.deepEqual(await one.owned(), [], 'keys');
  assert.deepEqual(await one.obtained(), [], 'grants');
  assert.equal(await one.canUse(own), false, 'the key of the one before');
  assert.equal(await one.canUse(lent), false, 'a key that was granted to the one before');
  assert.equal((await one.tryGrant(own, 'somebody')).status, 404, 'granting in the place of the one before');
  assert.equal((await one.kmip('Locate')).ids.length, 0);
  const name = (await one.me()).user;
  assert.deepEqual(await other.granted(lent), [], 'what the owner is told');
  assert.equal(await other.mayOf(lent, name), false);
  // What the deleted one has granted stays with the key.
  assert.ok(await other.canUse(own));
  // From now on it is somebody like all others.
  const fresh = await one.create('theirs');
  assert.deepEqual(await one.owned(), [fresh]);
  await other.grant(lent, name);
  assert.ok(await one.canUse(lent));
  assert.deepEqual(await other.granted(lent), [name]);
  await one.grant(fresh, (await other.me()).user);
  // Both are told by the name that they have, or had.
  assert.deepEqual(
    (await other.obtained()).flatMap(({ owner_id }) => (owner_id === name ? [owner_id] : [])),
    [name, name],
  );
}
