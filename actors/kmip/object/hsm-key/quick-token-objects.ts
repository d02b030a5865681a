// The keys of tokens as objects beside the callers of the key server: those that are known already; the rest is the actor's.
import { andThen } from '../../../../kernel/at-once.ts';
import { leave } from '../../leave.ts';
import type { DatabaseParts } from '../database-objects.ts';
import { canonical, placeOf } from '../hsm-identifier.ts';
import { isDestroyed } from '../life/lifecycle.ts';
import type { ObjectSource } from '../object-source.ts';
import { hsmObjects } from './hsm-objects.ts';
import type { Tokens } from './tokens.ts';

/** @param keyEncryptionKeys as `hsmObjects` */
export function quickTokenObjects(tokens: Tokens, parts: DatabaseParts, keyEncryptionKeys: readonly string[]): ObjectSource {
  const { prefix, canonical: full, held, absence } = hsmObjects(tokens, parts, keyEncryptionKeys);
  return {
    prefix,
    absence,
    ...(full && { canonical: full }),
    held: (id, content) => andThen(held(id, content), (found) => found ?? leave()),
    // A key that a vendor tool has made gets its row from the actor, also under the name of a destroyed one.
    discover({ caller }, id) {
      const place = id === undefined ? leave() : placeOf(id, tokens.prefixes, false);
      if (!place || !caller.administers?.includes(place.prefix)) return;
      return andThen(parts.cache.get(canonical(id as string, tokens.prefixes), false), (found) =>
        found && !isDestroyed(found.object.state) ? undefined : leave(),
      );
    },
    keeper: { ownerOf: leave, makeSecret: leave, makePair: leave, take: leave, linkTaken: leave, discard: leave, destroy: leave },
    newIdentifier: leave,
    requirePlace: leave,
    readWhole: leave,
    within: leave,
    find: leave,
  };
}
