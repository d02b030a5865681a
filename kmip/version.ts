// The versions of the protocol that the server supports.

export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** Newest first, in the order that DiscoverVersions returns. */
export const VERSIONS: readonly Version[] = [
  { major: 2, minor: 1 },
  { major: 2, minor: 0 },
  { major: 1, minor: 4 },
  { major: 1, minor: 3 },
  { major: 1, minor: 2 },
  { major: 1, minor: 1 },
  { major: 1, minor: 0 },
];
