// Username/password credentials with their roles and extra claims. A change of data that sessions contain ends the sessions.
import { randomInt } from 'node:crypto';
import { Fault } from '../../kernel/fault.ts';
import { encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { endName, holdName } from '../../kernel/store/accounts.ts';
import { byCodePoints, mapPage, readPage } from '../../kernel/store/page.ts';
import { isUniqueViolation } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { requireAdministration } from './administered.ts';
import type { Credential, CredentialInput, CredentialUpdate, DirectoryApi } from './api.ts';
import { auditChange, type DirectoryServer, requireRealmQuota } from './directory-server.ts';
import { keepSuperAdmin } from './last-super-admin.ts';
import { openLock } from './lockout.ts';

interface Row {
  readonly realm: string;
  readonly username: string;
  readonly change_password: number;
  readonly roles: string;
  readonly extra_claims: string | null;
}

const COLUMNS = 'realm, username, change_password, roles, extra_claims';
const LISTING = {
  columns: COLUMNS,
  from: 'userpass',
  key: { realm: 'string', username: 'string' },
  size: 'OCTET_LENGTH(username) + OCTET_LENGTH(roles) + COALESCE(OCTET_LENGTH(extra_claims), 0)',
} as const;

function credentialOf(row: Row): Credential {
  const extra_claims = row.extra_claims === null ? null : (JSON.parse(row.extra_claims) as Record<string, unknown>);
  return {
    realm: row.realm,
    username: row.username,
    password_hash: '',
    change_password: row.change_password === 1,
    roles: JSON.parse(row.roles) as string[],
    extra_claims,
  };
}

function answerOf({ realm, username, change_password, roles, extra_claims }: CredentialInput): Credential {
  return { realm, username, password_hash: '', change_password, roles, extra_claims };
}

/** Random, so that a login in progress with a deleted credential cannot match the revision of a new credential of the same name. */
const firstRevision = (): number => randomInt(2, 2 ** 47);

const claimsText = ({ extra_claims: claims }: CredentialInput) => (claims === null ? null : JSON.stringify(claims));

type CredentialApi = Pick<DirectoryApi, 'listCredentials' | 'getCredential' | 'createCredential' | 'updateCredential' | 'deleteCredential' | 'unlock'>;

export function credentialApi(part: DirectoryServer): CredentialApi {
  const { store, clock, args } = part;
  return {
    async listCredentials(realm, page) {
      const one = realm === null ? {} : { where: 'realm = $1', params: [realm] };
      return encodePage(mapPage(await readPage<Row>(store, { ...LISTING, collation: byCodePoints(store.dialect), ...one }, page), credentialOf));
    },
    async getCredential(realm, username) {
      const row = await store.get<Row>(`SELECT ${COLUMNS} FROM userpass WHERE realm = $1 AND username = $2`, [realm, username]);
      return row ? credentialOf(row) : null;
    },
    createCredential: (input, by) => createCredential(part, input, by),
    updateCredential: (input, by) => updateCredential(part, input, by),
    async deleteCredential(realm, username, by) {
      await store.transaction(async (tx) => {
        await requireAdministration(tx, by, [realm]);
        if ((await tx.run('DELETE FROM userpass WHERE realm = $1 AND username = $2', [realm, username])) === 0) return;
        await endName(tx, userName(realm, username), clock.now());
        await endSessionsOf(tx, realm, username);
        if (realm === '_') await keepSuperAdmin(tx, args.clientCertificates);
        await auditChange(tx, by, 'credential.delete', username, realm);
      });
    },
    unlock: (realm, username, by) =>
      store.transaction(async (tx) => {
        await requireAdministration(tx, by, [realm]);
        if (!(await tx.get('SELECT username FROM userpass WHERE realm = $1 AND username = $2', [realm, username]))) return false;
        await tx.run('DELETE FROM lockout WHERE realm = $1 AND username = $2', [realm, username]);
        await auditChange(tx, by, 'credential.unlock', username, realm);
        return true;
      }),
  };
}

/** @returns null for an unknown realm */
function createCredential(part: DirectoryServer, input: CredentialInput, by: Parameters<DirectoryApi['createCredential']>[1]): Promise<Credential | null> {
  const { realm, username, passwordHash, change_password, roles } = input;
  return part.store.transaction(async (tx) => {
    await requireAdministration(tx, by, [realm]);
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) return null;
    try {
      await tx.run(
        'INSERT INTO userpass (realm, username, password_hash, change_password, roles, extra_claims, password_set_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
        [realm, username, passwordHash, change_password ? 1 : 0, JSON.stringify(roles), claimsText(input), part.clock.now(), firstRevision()],
      );
    } catch (error) {
      throw isUniqueViolation(error) ? new Fault('AUTH_EXISTS', { detail: `the credential ${username} already exists` }) : error;
    }
    await holdName(tx, userName(realm, username));
    await requireRealmQuota(tx, part, 'credentials_per_realm', realm);
    await auditChange(tx, by, 'credential.create', username, realm);
    return answerOf(input);
  });
}

/** @returns null for an unknown credential */
async function updateCredential(part: DirectoryServer, input: CredentialUpdate, by: Parameters<DirectoryApi['updateCredential']>[1]) {
  const { realm, username, passwordHash, change_password, roles, comparedWith } = input;
  const outcome = await part.store.transaction(async (tx) => {
    await requireAdministration(tx, by, [realm]);
    const before = await tx.get<Row & { revision: number }>(`SELECT ${COLUMNS}, revision FROM userpass WHERE realm = $1 AND username = $2`, [realm, username]);
    if (!before) return 'missing';
    if (comparedWith !== null && comparedWith !== before.revision) return 'overtaken';
    await tx.run(
      `UPDATE userpass SET change_password = $3, roles = $4, extra_claims = $5, revision = revision + 1,
        password_hash = COALESCE($6, password_hash), password_set_at = CASE WHEN $6 IS NULL THEN password_set_at ELSE $7 END WHERE realm = $1 AND username = $2`,
      [realm, username, change_password ? 1 : 0, JSON.stringify(roles), claimsText(input), passwordHash, part.clock.now()],
    );
    const ends = passwordHash !== null || before.roles !== JSON.stringify(roles) || before.extra_claims !== claimsText(input);
    if (ends) await endSessionsOf(tx, realm, username);
    if (passwordHash !== null) await openLock(tx, realm, username, 'password');
    await auditChange(tx, by, passwordHash === null ? 'credential.update' : 'credential.password', username, realm);
    return 'done';
  });
  if (outcome === 'overtaken') return outcome;
  return outcome === 'missing' ? null : answerOf(input);
}
