// The version counter of an app token, which moves when the token is renewed or revoked. Creating a token moves none: nobody caches absence.

export const tokenCounter = (digest: string): string => `token:${digest}`;
