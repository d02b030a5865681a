// Lists of names in the envelope that roles have: `{ data: { keys } }`.

interface Names {
  readonly data: Readonly<Record<string, unknown>>;
}

/** @param pages of a list @param column of the table in which the names stand */
export async function* membersOf<C extends string>(pages: AsyncIterable<Names>, column: C): AsyncGenerator<Record<C, string>> {
  for await (const { data } of pages) for (const name of data['keys'] as string[]) yield { [column]: name } as Record<C, string>;
}
