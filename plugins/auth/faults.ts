// What the authentication service refuses with.
import type { FaultTable } from '../../kernel/fault.ts';

export const AUTH_FAULTS = Object.freeze({
  // One answer for every refused credential: unknown user, wrong password, wrong code, locked account.
  AUTH_DENIED: { status: 401, message: 'the credentials are not valid' },
  AUTH_PASSWORD_UNFIT: { status: 400, message: 'the new password cannot be used' },
  AUTH_RATE_LIMITED: { status: 429, message: 'too many tries from this address, wait a moment', retry: true },
  AUTH_EXISTS: { status: 409, message: 'it exists already' },
  // Nothing is cut off without a word: the whole list, or pages of it.
  AUTH_LIST_TOO_LONG: { status: 400, message: 'the list is too long for one answer: ask for pages of it with ?limit=' },
  AUTH_LAST_SUPER_ADMIN: { status: 409, message: 'no super admin would be left who can sign in: a certificate or a token counts when it was used for that' },
  // Names the quota and the limit; what is there already is not touched.
  AUTH_QUOTA_EXCEEDED: { status: 429, message: 'the quota is used up' },
  AUTH_CODE_INVALID: { status: 400, message: 'the code is not valid' },
  AUTH_CERTIFY_OFF: { status: 500, message: 'certificate signing is not configured' },
  // One answer for each kind of machine login, so that it tells nothing of which roles there are.
  AUTH_ROLE_DENIED: { status: 400, message: 'the role id or the secret id is not valid' },
  AUTH_SECRET_ID_EXHAUSTED: { status: 403, message: 'the secret id is used up' },
  AUTH_JWT_DENIED: { status: 400, message: 'the role or its JWT is not valid' },
  AUTH_SERVICE_ACCOUNT_DENIED: { status: 403, message: 'this role does not allow the service account' },
  AUTH_TOKEN_NOT_RENEWABLE: { status: 403, message: 'the role of this app token does not let it be renewed' },
  AUTH_TOKEN_DENIED: { status: 403, message: 'the app token is missing, invalid, expired or revoked' },
}) satisfies FaultTable;
