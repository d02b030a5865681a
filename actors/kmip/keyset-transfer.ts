// Keeps keysets of the same name from mixing when objects change owners: `name@latest` would suddenly mean another key.
import { Fault } from '../../kernel/fault.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { generationOf } from './object/finding/generation.ts';
import { keysetOf } from './object/index-terms.ts';
import type { KeyServer } from './server.ts';

/** Maximum number of shared keyset members to check. */
const MAX_SHARED = 1_000;

/**
 * The generations of one keyset differ. Two keysets of the same name share at least their first generations, whereas the rest of a
 * keyset that was transferred in part does not collide.
 * @param id of the only object to transfer, or undefined for all
 * @throws Fault KEYS_REFUSED
 */
export async function requireApart(server: KeyServer, from: string, to: string, id: string | undefined): Promise<void> {
  const sql = `SELECT mine.object_id AS one, theirs.object_id AS other FROM kms_object owned JOIN kms_attribute mine ON mine.object_id = owned.id AND mine.tag = $3
    JOIN kms_attribute theirs ON theirs.owner = $2 AND theirs.tag = mine.tag AND theirs.value = mine.value
    WHERE owned.owner = $1${id === undefined ? '' : ' AND mine.object_id = $4'} LIMIT ${MAX_SHARED}`;
  const shared = await server.store.all<{ one: string; other: string }>(sql, [from, to, TAG.RotateName, ...(id === undefined ? [] : [id])]);
  if (shared.length === 0) return;
  const objects = await server.rows.describeAll(server.store, [...new Set(shared.flatMap(({ one, other }) => [one, other]))]);
  const known = new Map(objects.map((object) => [object.id, object]));
  for (const { one, other } of shared) {
    const [mine, theirs] = [known.get(one), known.get(other)];
    if (mine && theirs && generationOf(mine) === generationOf(theirs))
      throw new Fault('KEYS_REFUSED', {
        detail: `Invalid_Field: to: already has a keyset ${JSON.stringify(keysetOf(mine))}; choose another user, or rename the keyset`,
      });
  }
}
