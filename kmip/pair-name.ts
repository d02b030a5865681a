// How the public key of a pair is named: like the private key, with an ending, in the database and on tokens.
export const PUBLIC_END = '_pk';

export const publicName = (privateName: string): string => `${privateName}${PUBLIC_END}`;

/** No private key on a token has such a name. */
export const isPublicName = (name: string): boolean => name.endsWith(PUBLIC_END);

/** As it is, if it has no such end. */
export const withoutPublicEnd = (name: string): string => (isPublicName(name) ? name.slice(0, -PUBLIC_END.length) : name);
