// Ends what a role has given: all its tokens, or the role with its secret ids and tokens, a part at a time, because others write between the parts.
import { approleName, clusterScope } from '../../kernel/store/account-name.ts';
import { endName } from '../../kernel/store/accounts.ts';
import type { Store } from '../../kernel/store/store.ts';
import { CHUNK } from '../../kernel/store/value-list.ts';
import { requireSuperAdmin } from '../directory/administered.ts';
import type { Principal, TokenKind } from './api.ts';
import { hasRole } from './role-tokens.ts';
import { byAdministrator } from './roles.ts';
import { destroySomeOf } from './secret-ids.ts';
import { revokeSomeOf } from './tokens.ts';

interface OfKind {
  /** The statement that deletes its row. */
  readonly remove: string;
  /** Begins the names of its events. */
  readonly event: string;
  nameOf(role: string): string;
}

const KINDS: Readonly<Record<TokenKind, OfKind>> = {
  approle: {
    remove: 'DELETE FROM approle WHERE name = $1',
    event: 'approle',
    nameOf: approleName,
  },
  cluster: {
    remove: 'DELETE FROM cluster_role WHERE name = $1',
    event: 'cluster_role',
    nameOf: clusterScope,
  },
};

/** One part. @returns false if there are more, null for an unknown role */
export function revokeTokensOfRole(store: Store, kind: TokenKind, role: string, by: Principal): Promise<boolean | null> {
  const { event } = KINDS[kind];
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    if (!(await hasRole(tx, kind, role))) return null;
    const revoked = await revokeSomeOf(tx, kind, role);
    await tx.audit({ ...byAdministrator(by), event: `${event}.revoke_tokens`, target: role, reason: `${revoked} tokens revoked` });
    return revoked < CHUNK;
  });
}

/** One part. The secret ids go first, so that nobody signs in with them any more. @returns false if the role is still there */
export function deleteRoleOf(store: Store, kind: TokenKind, role: string, by: Principal, now: number): Promise<boolean> {
  const { remove, event, nameOf } = KINDS[kind];
  return store.transaction(async (tx) => {
    await requireSuperAdmin(tx, by);
    const row = { ...byAdministrator(by), target: role };
    if (kind === 'approle' && (await destroySomeOf(tx, role)) === CHUNK) {
      await tx.audit({ ...row, event: 'secret_id.destroy', reason: `${CHUNK} secret ids of a role that is being deleted` });
      return false;
    }
    const revoked = await revokeSomeOf(tx, kind, role);
    if (revoked === CHUNK) {
      await tx.audit({ ...row, event: `${event}.revoke_tokens`, reason: `${revoked} tokens revoked` });
      return false;
    }
    if ((await tx.run(remove, [role])) === 0) return true;
    await endName(tx, nameOf(role), now);
    await tx.audit({ ...row, event: `${event}.delete`, reason: `${revoked} tokens revoked` });
    return true;
  });
}
