// Faults of the authentication service.
import type { FaultTable } from '../../kernel/fault.ts';

export const AUTH_FAULTS = Object.freeze({
  // The same answer for every refused credential: unknown user, wrong password, wrong code, locked account.
  AUTH_DENIED: { status: 401, message: 'the credentials are not valid' },
  AUTH_PASSWORD_UNFIT: { status: 400, message: 'the new password cannot be used' },
  AUTH_RATE_LIMITED: { status: 429, message: 'too many attempts from this address: wait a moment and try again', retry: true },
  AUTH_EXISTS: { status: 409, message: 'an object of this name already exists' },
  // A list is never cut off silently: the answer is the whole list, or a page that the client asked for.
  AUTH_LIST_TOO_LONG: { status: 400, message: 'the list is too long for one answer: use ?limit= to read it page by page' },
  AUTH_LAST_SUPER_ADMIN: {
    status: 409,
    message: 'this would leave no super admin who can sign in; certificates and tokens count only if they were used to sign in before',
  },
  // The detail names the quota and the limit. Existing objects are not affected.
  AUTH_QUOTA_EXCEEDED: { status: 429, message: 'the quota is used up' },
  AUTH_CODE_INVALID: { status: 400, message: 'the code is not valid' },
  AUTH_CERTIFY_OFF: { status: 500, message: 'certificate signing is not configured' },
  // The same answer for all refusals of one kind of machine login, so that it does not reveal which roles exist.
  AUTH_ROLE_DENIED: { status: 400, message: 'the role id or the secret id is not valid' },
  AUTH_SECRET_ID_EXHAUSTED: { status: 403, message: 'the secret id is used up' },
  AUTH_JWT_DENIED: { status: 400, message: 'the role or its JWT is not valid' },
  AUTH_SERVICE_ACCOUNT_DENIED: { status: 403, message: 'this role does not allow the service account' },
  AUTH_TOKEN_NOT_RENEWABLE: { status: 403, message: 'the role of this app token does not allow renewal' },
  AUTH_TOKEN_DENIED: { status: 403, message: 'the app token is missing, invalid, expired or revoked' },
}) satisfies FaultTable;
