// What the authentication service refuses with.
import type { FaultTable } from '../../kernel/fault.ts';

export const AUTH_FAULTS = Object.freeze({
  // One answer for every refused credential: unknown user, wrong password, wrong code, locked account.
  AUTH_DENIED: { status: 401, message: 'the credentials are not valid' },
  AUTH_PASSWORD_UNFIT: { status: 400, message: 'the new password cannot be used' },
  AUTH_RATE_LIMITED: { status: 429, message: 'too many tries from this address, wait a moment', retry: true },
  AUTH_EXISTS: { status: 409, message: 'it exists already' },
  AUTH_LAST_SUPER_ADMIN: { status: 409, message: 'no super admin would be left who can sign in' },
  AUTH_CODE_INVALID: { status: 400, message: 'the code is not valid' },
  AUTH_CERTIFY_OFF: { status: 500, message: 'certificate signing is not configured' },
}) satisfies FaultTable;
