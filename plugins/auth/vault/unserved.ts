// Features of Vault and OpenBao that this server does not support.
import { Fault } from '../../../kernel/fault.ts';
import type { Request, ResponseDescription, Unserved } from '../../../kernel/http/route.ts';
import { VAULT_ERRORS } from './form.ts';

/** Unknown paths below /v1; the JOSE API there has its own errors. */
export const VAULT_UNSERVED: Unserved = { below: ['/v1/'], except: ['/v1/crypto'], form: VAULT_ERRORS };

const ROOT_NAMESPACE = /^\/?(root\/?)?$/;
const UNWRAPPED = /^0?s?$/;

/** Refusals of each of these routes, in the OpenAPI document. */
export const REFUSALS: Readonly<Record<number, ResponseDescription>> = {
  400: { description: 'the request contains an invalid value, or asks for a wrapped answer' },
  404: { description: 'the path or the namespace does not exist' },
};

/**
 * Refuses headers that would change the meaning of a request, rather than ignoring them.
 * @throws Fault NOT_FOUND for a namespace, BAD_REQUEST for a wrapped answer
 */
export function refuseUnserved({ 'x-vault-namespace': namespace = '', 'x-vault-wrap-ttl': wrap = '' }: Request['headers']): void {
  if (!ROOT_NAMESPACE.test(String(namespace))) throw new Fault('NOT_FOUND', { detail: 'this server has no namespaces: remove the header X-Vault-Namespace' });
  if (!UNWRAPPED.test(String(wrap))) throw new Fault('BAD_REQUEST', { detail: 'this server does not wrap answers: remove the header X-Vault-Wrap-TTL' });
}
