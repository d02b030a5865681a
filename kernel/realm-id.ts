// The rule for the id of a realm: 1 to 64 letters, digits, - and _.

/** Characters in a realm's id. */
export const MAX_REALM_ID = 64;
/** The rule as part of a regular expression. */
export const REALM_ID_PATTERN = `[A-Za-z0-9_-]{1,${MAX_REALM_ID}}`;

const WHOLE = new RegExp(`^${REALM_ID_PATTERN}$`);

export function isRealmId(text: string): boolean {
  return WHOLE.test(text);
}

/** @param key of a list of realms in the configuration, in which `*` stands for all @returns what is wrong with its entries */
export function realmListProblems(key: string, realms: readonly string[]): string[] {
  return realms.flatMap((each, index) =>
    each === '*' || isRealmId(each) ? [] : [`${key}[${index}]: not a valid realm name: use 1 to 64 letters, digits, _ and -, or "*" for all realms`],
  );
}
