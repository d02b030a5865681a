// Which claims belong to the server, and what extra claims may be.
import Type from 'typebox';
import { MAX_STORED_BYTES } from './parameters.ts';

/** The names of the typed claims of sessions and certificates; extra claims must not take them. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['roles', 'as_as', 'as_rid', 'realm_id', 'auth_scheme', 'verification_key'],
]);

/** Claims of a credential beside the server's own. */
export const EXTRA_CLAIMS = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 256,
  'x-max-bytes': MAX_STORED_BYTES,
  propertyNames: { not: { enum: [...RESERVED_CLAIMS] } },
});

/** That a certificate is to copy. */
export const COPIED_CLAIM = Type.String({ maxLength: 255, pattern: '^(?!as_)', not: { enum: [...RESERVED_CLAIMS] }, description: 'not a reserved claim name' });
