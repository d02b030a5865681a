// Grants: which operations a user may do with another owner's object, and who may create objects.
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { Principal } from '../api.ts';

/** Rights by the names that clients of /access write, in lower case without separators. */
const RIGHTS: ReadonlyMap<string, string> = new Map(Object.keys(ENUM.Operation).map((name) => [withoutSeparators(name), name.toLowerCase()]));

/** The object that the right to create is granted on. */
export const EVERYTHING = '*';
/** The user that is every authenticated caller. */
const EVERYBODY = '*';
/** Rights that `get` does not imply: destroying an object, changing it, or replacing it. */
const APART: ReadonlySet<string> = new Set(
  (
    [
      ...(['Destroy', 'Revoke', 'Activate', 'Archive', 'Recover', 'Import', 'ReKey', 'ReKeyKeyPair', 'ReCertify'] as const),
      ...(['AddAttribute', 'SetAttribute', 'ModifyAttribute', 'DeleteAttribute', 'AdjustAttribute'] as const),
    ] satisfies OperationName[]
  ).map((name) => name.toLowerCase()),
);

/** Rights by user, of one object. */
export type Grants = ReadonlyMap<string, ReadonlySet<string>>;

/** `derive_key`, `Derive Key` and `derivekey` are one. @throws Refusal InvalidField naming what is no operation */
export function rightOf(name: string): string {
  const right = RIGHTS.get(withoutSeparators(name));
  if (right === undefined) throw new Refusal('InvalidField', `${JSON.stringify(name.slice(0, 64))} is not an operation`);
  return right;
}

function withoutSeparators(name: string): string {
  return name.replaceAll(/[ _-]/g, '').toLowerCase();
}

export function parseOperations(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').filter((name) => name !== ''));
}

/** The accounts under which a grant may be made to a caller. */
export function granteesOf({ user, realm, realmAccount = `${realm}/` }: Principal): string[] {
  return realm === undefined ? [user, EVERYBODY] : [user, `${realmAccount}*`, EVERYBODY];
}

/** Whether grants let a caller do this; the owner needs none. */
export function isGranted(grants: Grants, caller: Principal, right: string): boolean {
  if (grants.size === 0) return false;
  const name = right.toLowerCase();
  for (const grantee of granteesOf(caller)) {
    const rights = grants.get(grantee);
    if (rights?.has(name) || (rights?.has('get') && !APART.has(name))) return true;
  }
  return false;
}

/** Whether a caller has any right on an object, and may therefore know of it. */
export function isKnown(grants: Grants, caller: Principal): boolean {
  return granteesOf(caller).some((grantee) => (grants.get(grantee)?.size ?? 0) > 0);
}
