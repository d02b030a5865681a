// Follows texts while they are written elsewhere: pieces are asked for again and again, until all is written.

/** What was written since the last question, each piece with the place of its text; undefined when all is written. */
export type Pieces = readonly (readonly [input: number, piece: string])[] | undefined;

/** Reads until all is written, while `work` goes on elsewhere. @returns what it returns */
export async function readWhile<T>(work: Promise<T>, read: () => Promise<Pieces>, onText: (input: number, piece: string) => void): Promise<T> {
  const follow = async () => {
    for (let pieces = await read(); pieces; pieces = await read()) for (const [input, piece] of pieces) onText(input, piece);
  };
  // If the work fails, its own failure is told; a failed reader loses only pieces, which the whole text has too.
  const following = follow().catch(() => {});
  const result = await work;
  await following;
  return result;
}
