// Who may use a documentary base: the roles and realms that the configuration names, `*` for all.
import { Fault } from '../../kernel/fault.ts';
import type { Caller } from '../../kernel/http/caller/credential.ts';
import { composed } from '../../kernel/normal-form.ts';
import type { AiConfig } from './config.ts';

type Use = 'readers' | 'writers';

/** Bases that are not in the configuration were created on request, by anybody for everybody. */
export function mayUse({ documentary_bases: bases }: AiConfig, base: string, use: Use, caller: Caller | undefined): boolean {
  const configured = bases.find(({ name }) => composed(name) === composed(base));
  if (!configured) return true;
  if (!isOf(configured.realms, caller)) return false;
  const wanted = configured[use];
  if (wanted.includes('*')) return true;
  const own = rolesOf(caller);
  return wanted.some((role) => own.includes(role));
}

/**
 * A base that the caller may not read is told to be missing, so that its name stays unknown.
 * @param missing what the request is told if there is no such base
 * @throws Fault NOT_FOUND, FORBIDDEN
 */
export function requireUse(config: AiConfig, base: string, use: Use, caller: Caller | undefined, missing = noBase): void {
  if (mayUse(config, base, use, caller)) return;
  throw mayUse(config, base, 'readers', caller) ? new Fault('FORBIDDEN', { detail: 'your roles do not allow changes of this base' }) : missing();
}

export function noBase(): Fault {
  return new Fault('NOT_FOUND', { detail: 'there is no documentary base of this name' });
}

/** The administrators of a realm give its users any role, also one of another realm's. Whoever has no session has their roles from the operator. */
function isOf(realms: readonly string[], caller: Caller | undefined): boolean {
  if (realms.includes('*')) return true;
  return caller !== undefined && (caller.realm === '' || realms.includes(caller.realm));
}

/** Of a session its claim `roles`, of a token of [[ai.auth]] what its provider's `roles_claim` names, of an app token its policies. */
function rolesOf(caller: Caller | undefined): readonly string[] {
  const roles = caller?.claims?.['roles'];
  return [...(Array.isArray(roles) ? roles.map(String) : []), ...(caller?.policies ?? [])];
}
