// Grants: which operations a user may perform on another owner's object, and who may create objects.
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { Principal } from '../api.ts';
import { isInstance } from './hsm-identifier.ts';

/** Rights, by the names that clients of /access write: lower case, without separators. */
const RIGHTS: ReadonlyMap<string, string> = new Map(Object.keys(ENUM.Operation).map((name) => [withoutSeparators(name), name.toLowerCase()]));

/** The pseudo-object on which the right to create is granted. */
export const EVERYTHING = '*';
/** The pseudo-user that stands for every authenticated caller. */
const EVERYBODY = '*';
/** Rights that `get` does not imply: destroying an object, changing it, or replacing it; and making objects, which is a right on none that exists. */
const APART: ReadonlySet<string> = new Set(
  (
    [
      ...(['Create', 'CreateKeyPair', 'Register'] as const),
      ...(['Destroy', 'Obliterate', 'Revoke', 'Deactivate', 'Activate', 'Archive', 'Recover', 'Import', 'ReKey', 'ReKeyKeyPair', 'ReCertify'] as const),
      ...(['AddAttribute', 'SetAttribute', 'ModifyAttribute', 'DeleteAttribute', 'AdjustAttribute'] as const),
    ] satisfies OperationName[]
  ).map((name) => name.toLowerCase()),
);

/** Every right on an object includes these: whoever may use it may find it and read what it is. */
const METADATA: ReadonlySet<string> = new Set((['GetAttributes', 'GetAttributeList', 'Locate'] satisfies OperationName[]).map((name) => name.toLowerCase()));

/** The rights of each user on one object. */
export type Grants = ReadonlyMap<string, ReadonlySet<string>>;

/** `derive_key`, `Derive Key` and `derivekey` mean the same. @throws Refusal InvalidField if the name is not that of an operation */
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

/** The account names under which a caller may have received grants. */
export function granteesOf({ user, realm, realmAccount = `${realm}/` }: Principal): string[] {
  return realm === undefined ? [user, EVERYBODY] : [user, `${realmAccount}*`, EVERYBODY];
}

/**
 * Whether the grants permit this to the caller; the owner needs no grants. The right to Get includes most others, but not for keys of an HSM.
 * @param owner of the object
 */
export function isGranted(grants: Grants, caller: Principal, right: string, owner: string): boolean {
  if (grants.size === 0) return false;
  const name = right.toLowerCase();
  if (METADATA.has(name)) return isKnown(grants, caller);
  for (const grantee of granteesOf(caller)) {
    const rights = grants.get(grantee);
    if (rights?.has(name) || (rights?.has('get') && !APART.has(name) && !isInstance(owner))) return true;
  }
  return false;
}

/** Whether a caller has any right on an object, and may therefore know that it exists. */
export function isKnown(grants: Grants, caller: Principal): boolean {
  return granteesOf(caller).some((grantee) => (grants.get(grantee)?.size ?? 0) > 0);
}
