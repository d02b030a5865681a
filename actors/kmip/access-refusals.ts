// Refusals of the /access endpoints: each writes a row in the audit log, as the refusals of KMIP do.
import { type Fault, isServerFailure } from '../../kernel/fault.ts';
import type { AccessApi, Principal } from './api.ts';
import { auditRefusal } from './audit-refusal.ts';
import { faultOf } from './refused-call.ts';
import type { KeyServer } from './server.ts';

interface RefusedCall {
  /** The event in the audit log. */
  readonly event: string;
  readonly caller: Principal;
  /** The object that the caller named. */
  readonly target?: string;
}

/** Wraps the calls. An internal failure is not a refusal and passes through unchanged. */
export function withRefusals(server: KeyServer, access: AccessApi): AccessApi {
  const noted = async <T>({ event, caller, target }: RefusedCall, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      const error = faultOf(thrown);
      if (!isServerFailure(error)) await auditRefusal(server, caller, { event, reason: (error as Fault).code, target });
      throw error;
    }
  };
  return {
    ...access,
    listOwned: (caller, page) => noted({ event: 'key.owned', caller }, () => access.listOwned(caller, page)),
    listObtained: (caller, page) => noted({ event: 'key.obtained', caller }, () => access.listObtained(caller, page)),
    grantees: (id, caller, page) => noted({ event: 'key.grant.list', caller, target: id }, () => access.grantees(id, caller, page)),
    grant: (id, user, operations, caller) => noted({ event: 'key.grant', caller, target: id }, () => access.grant(id, user, operations, caller)),
    revoke: (id, user, operations, caller) => noted({ event: 'key.grant.revoke', caller, target: id }, () => access.revoke(id, user, operations, caller)),
    check: (id, user, operations, caller) => noted({ event: 'key.grant.check', caller, target: id }, () => access.check(id, user, operations, caller)),
  };
}
