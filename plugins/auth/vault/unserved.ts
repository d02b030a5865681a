// What clients of Vault and OpenBao may ask for, and is not here.
import { Fault } from '../../../kernel/fault.ts';
import type { Request, ResponseDescription, Unserved } from '../../../kernel/http/route.ts';
import { VAULT_ERRORS } from './form.ts';

/** Other paths; the JOSE API below the same prefix has errors of its own. */
export const VAULT_UNSERVED: Unserved = { below: ['/v1/'], except: ['/v1/crypto/'], form: VAULT_ERRORS };

const ROOT_NAMESPACE = /^\/?(root\/?)?$/;
const UNWRAPPED = /^0?s?$/;

/** Of each of these routes, in the document. */
export const REFUSALS: Readonly<Record<number, ResponseDescription>> = {
  400: { description: 'the request contains an invalid value, or asks for a wrapped answer' },
  404: { description: 'the path or the namespace does not exist' },
};

/**
 * Headers that would change what is meant are refused rather than passed over.
 * @throws Fault NOT_FOUND for a namespace, BAD_REQUEST for an answer that is to be wrapped
 */
export function refuseUnserved({ 'x-vault-namespace': namespace = '', 'x-vault-wrap-ttl': wrap = '' }: Request['headers']): void {
  if (!ROOT_NAMESPACE.test(String(namespace))) throw new Fault('NOT_FOUND', { detail: 'there are no namespaces here: leave X-Vault-Namespace out' });
  if (!UNWRAPPED.test(String(wrap))) throw new Fault('BAD_REQUEST', { detail: 'answers are not wrapped here: leave X-Vault-Wrap-TTL out' });
}
