// Logins of machines: checks the proof, issues the token and writes the audit row in one transaction.
import { approleName, clusterScope } from '../../kernel/store/account-name.ts';
import { holdName } from '../../kernel/store/accounts.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import type { ClusterLogin, LoginOutcome, RoleLogin, TokenSettings } from './api.ts';
import { admits, boundsOf } from './bounds.ts';
import { readClusterRole } from './cluster-roles.ts';
import { auditingQuota, type TokenQuotas } from './quota.ts';
import { boundsOfSecretId, readPresented, type Use, useSecretId } from './secret-ids.ts';
import { type Grant, issueToken } from './tokens.ts';

/** Logins of a moment share statements: each only adds rows, asks for quotas after that, and uses a secret id on condition that no other has. */
const TOGETHER = { together: true } as const;
/** For the audit log: to the client this is a wrong role id or secret id, and a secret id is not used up by it. */
const ADDRESS = 'the address is in none of the networks that it is bound to';

/** A refusal is a value, not an error, so that the transaction commits its audit row and the use of the secret id. */
export function loginRole(store: Store, login: RoleLogin, quotas: TokenQuotas, now: number): Promise<LoginOutcome> {
  const work = store.transaction(async (tx): Promise<LoginOutcome> => {
    const { role, account: known, secretId } = await readPresented(tx, login.roleId, login.secretDigest);
    if (!role) return refuse(tx, 'approle', undefined, login.source, 'unknown role id');
    const { name } = role;
    if (role.bindSecretId && login.secretDigest === null) return refuse(tx, 'approle', name, login.source, 'no secret id');
    const networks = boundsOfSecretId(role.bindSecretId ? secretId : undefined);
    if (!admits(boundsOf(role.secretIdBoundCidrs, role.tokenBoundCidrs, networks.login), login.source))
      return refuse(tx, 'approle', name, login.source, ADDRESS, secretId?.accessor);
    const use = role.bindSecretId ? await useSecretId(tx, name, secretId, now) : undefined;
    if (use?.admitted === false) return refuse(tx, 'approle', name, login.source, use.reason, use.accessor, use.exhausted);
    const account = known ?? (await holdName(tx, approleName(name)));
    // The row of the login names the secret id; one whose uses are counted has a row for each.
    const audited = use?.counted ? [auditUse(tx, name, login.source, use)] : [];
    const grant = { kind: 'approle', role: name, entity: name, account, ...settingsOf(role), bounds: boundsOf(role.tokenBoundCidrs, networks.token) } as const;
    const by = use && `with the secret id ${use.accessor}`;
    return { outcome: 'issued', token: await issueToken(tx, login, grant, quotas, { now, along: audited, by }) };
  }, TOGETHER);
  return auditingQuota(store, 'approle', login, work);
}

/** What every kind of role says of its tokens. */
function settingsOf(role: TokenSettings): Omit<Grant, 'kind' | 'role' | 'entity' | 'account' | 'bounds'> {
  return {
    policies: role.tokenPolicies,
    ttlSeconds: role.tokenTtlSeconds,
    maxTtlSeconds: role.tokenMaxTtlSeconds,
    renewable: role.tokenRenewable,
    numUses: role.tokenNumUses,
  };
}

function auditUse(tx: Transaction, name: string, source: string, use: Use & { readonly admitted: true }): Promise<void> {
  const reason = use.exhausted ? 'this was its last use' : undefined;
  return tx.audit({ event: 'secret_id.use', outcome: 'success', actor: name, scheme: 'token', source, target: `${name}/${use.accessor}`, reason });
}

/** The JWT was checked against one revision of the role; a newer revision may not allow the same. */
export function loginCluster(store: Store, login: ClusterLogin, quotas: TokenQuotas, now: number): Promise<LoginOutcome> {
  const work = store.transaction(async (tx): Promise<LoginOutcome> => {
    const role = await readClusterRole(tx, login.role);
    if (role?.revision !== login.revision) return refuse(tx, 'cluster', login.entity, login.source, 'the role changed meanwhile', login.role);
    const { name, tokenBoundCidrs } = role;
    const bounds = boundsOf(tokenBoundCidrs);
    if (!admits(bounds, login.source)) return refuse(tx, 'cluster', login.entity, login.source, ADDRESS, name);
    const account = (await holdName(tx, clusterScope(name))) + login.entity;
    const grant = { kind: 'cluster', role: name, entity: login.entity, account, ...settingsOf(role), bounds } as const;
    return { outcome: 'issued', token: await issueToken(tx, login, grant, quotas, { now, along: [], by: undefined }) };
  }, TOGETHER);
  return auditingQuota(store, 'cluster', login, work);
}

async function refuse(
  tx: Transaction,
  kind: 'approle' | 'cluster',
  actor: string | undefined,
  source: string,
  reason: string,
  target?: string,
  exhausted = false,
): Promise<LoginOutcome> {
  await tx.audit({ event: `${kind}.login`, outcome: 'refused', actor: actor ?? 'unknown', scheme: 'token', source, target, reason });
  return exhausted ? { outcome: 'exhausted' } : { outcome: 'denied' };
}
