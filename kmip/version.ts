// The versions of the protocol that the server supports, and the one in whose form operations work.

export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** Payloads of all versions are converted to and from the form of this one. A request in JSON without a RequestMessage is of this version too. */
export const WORKING_VERSION: Version = { major: 2, minor: 1 };

/** It has every attribute that any version of 1.x has. */
export const LAST_OF_1: Version = { major: 1, minor: 4 };

/** Newest first, in the order that DiscoverVersions returns. 3.0 is a committee draft (that of May 2026). */
export const VERSIONS: readonly Version[] = [
  { major: 3, minor: 0 },
  WORKING_VERSION,
  { major: 2, minor: 0 },
  LAST_OF_1,
  { major: 1, minor: 3 },
  { major: 1, minor: 2 },
  { major: 1, minor: 1 },
  { major: 1, minor: 0 },
];
