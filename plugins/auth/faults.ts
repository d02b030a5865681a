// What the authentication service refuses with.
import type { FaultTable } from '../../kernel/fault.ts';

export const AUTH_FAULTS = Object.freeze({
  // One answer for every refused credential: unknown user, wrong password, locked account.
  AUTH_DENIED: { status: 401, message: 'the credentials are not valid' },
  AUTH_PASSWORD_UNFIT: { status: 400, message: 'the new password cannot be used' },
}) satisfies FaultTable;
