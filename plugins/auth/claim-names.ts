// Names of claims that the server reserves, and the rules for extra claims.
import Type from '../../kernel/type.ts';
import { MAX_STORED_BYTES } from './parameters.ts';

/** Names of the server's own claims in sessions and certificates; extra claims must not use them. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['roles', 'as_as', 'as_rid', 'realm_id', 'auth_scheme', 'verification_key'],
]);

/** Claims of a credential in addition to the server's own. */
export const EXTRA_CLAIMS = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 256,
  'x-max-bytes': MAX_STORED_BYTES,
  propertyNames: { not: { enum: [...RESERVED_CLAIMS] }, description: `without the reserved names ${[...RESERVED_CLAIMS].join(', ')}` },
});

/** A claim of the session that a certificate copies. */
export const COPIED_CLAIM = Type.String({ maxLength: 255, pattern: '^(?!as_)', not: { enum: [...RESERVED_CLAIMS] }, description: 'not a reserved claim name' });
