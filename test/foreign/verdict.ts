// What a run of a foreign client comes to: it passed, failed, or cannot run here.
import type { ForeignClient } from './client.ts';

export interface Verdict {
  /** False where a step failed, nothing ran, or the client broke; a client that cannot run here is skipped, and fits. */
  readonly fits: boolean;
  /** In a few words, for the line that begins with the client's name. */
  readonly summary: string;
  readonly problems: readonly string[];
}

/** @param folder of the client alone, empty */
export async function verdictOf(client: ForeignClient, folder: string): Promise<Verdict> {
  try {
    const missing = await client.prepare(folder);
    if (missing !== undefined) return { fits: true, summary: `skipped, ${missing}`, problems: [] };
    const { passed, problems } = await client.run(folder);
    return { fits: problems.length === 0 && passed > 0, summary: `${passed} passed, ${problems.length} failed`, problems };
  } catch (error) {
    return { fits: false, summary: '0 passed, 1 failed', problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  }
}
