// What the authentication service refuses with.
import type { FaultTable } from '../../kernel/fault.ts';

export const AUTH_FAULTS = Object.freeze({
  // One answer for every refused credential: unknown user, wrong password, locked account.
  AUTH_DENIED: { status: 401, message: 'the credentials are not valid' },
  AUTH_PASSWORD_UNFIT: { status: 400, message: 'the new password cannot be used' },
  // One answer for each kind of machine login, so that it tells nothing of which roles there are.
  AUTH_ROLE_DENIED: { status: 400, message: 'the role id or the secret id is not valid' },
  AUTH_SECRET_ID_EXHAUSTED: { status: 403, message: 'the secret id is used up' },
  AUTH_JWT_DENIED: { status: 400, message: 'the role or its JWT is not valid' },
  AUTH_SERVICE_ACCOUNT_DENIED: { status: 403, message: 'this role does not allow the service account' },
  AUTH_TOKEN_DENIED: { status: 403, message: 'the app token is missing, invalid, expired or revoked' },
}) satisfies FaultTable;
