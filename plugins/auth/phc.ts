// Password hashes that a client supplies: PHC strings of Argon2id with exactly the server's cost parameters.
import Type from '../../kernel/type.ts';

/** More than enough: twice 64 bytes in base64 and the parameters take less than 220. */
const MAX_CHARACTERS = 512;

/** Canonical base64 without padding: groups of four characters, and at the end one or two bytes without unused bits. */
const QUAD = '[A-Za-z0-9+/]{4}';
const ONE = '[A-Za-z0-9+/][AQgw]';
const TWO = '[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]';
/** A salt of 8 to 64 bytes; below, a digest of 16 to 64. */
const SALT = `(?:(?:${QUAD}){2}${TWO}|(?:${QUAD}){3,20}(?:${ONE}|${TWO})?|(?:${QUAD}){21}(?:${ONE})?)`;
const DIGEST = `(?:(?:${QUAD}){5}(?:${ONE}|${TWO})|(?:${QUAD}){6,20}(?:${ONE}|${TWO})?|(?:${QUAD}){21}(?:${ONE})?)`;

export const PHC = Type.String({
  maxLength: MAX_CHARACTERS,
  pattern: `^\\$argon2id\\$v=19\\$m=65536,t=3,p=4\\$${SALT}\\$${DIGEST}$`,
  description: 'a PHC string of argon2id with m=65536,t=3,p=4, a salt of 8 to 64 bytes and a hash of 16 to 64',
  examples: ['$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
});
