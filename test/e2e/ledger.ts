// What a server has answered to writes, so that it can be held to it after it was killed: what each address must answer from now on.
import type { Answer, Ask } from '../server.ts';

/** What GET of a place answers, in short; null for nothing there. */
export type Seen = string | null;

/** A place is an address, for sessions with the cookie that opens it. */
export interface Place {
  readonly path: string;
  readonly cookie?: string;
}

export interface Change {
  readonly place: Place;
  readonly to: Seen;
}

const keyOf = ({ path, cookie = '' }: Place) => `${path} ${cookie}`;

export class Ledger {
  readonly #known = new Map<string, { readonly place: Place; readonly seen: Seen }>();
  /** Changes that were asked for when the server died: each may have happened wholly or not at all. */
  readonly #open: (readonly Change[])[] = [];
  answered = 0;

  /** @param write what the server is asked @param changes what its answer promises; both from its answer where they need it */
  async write(write: () => Promise<Answer>, changes: (answer: Answer) => readonly Change[], promised: readonly Change[] = []): Promise<Answer | undefined> {
    let answer: Answer;
    try {
      answer = await write();
    } catch {
      this.#open.push(promised);
      return undefined;
    }
    if (answer.status >= 300) throw new Error(`a write was refused: ${answer.status} ${answer.text}`);
    this.answered += 1;
    for (const change of changes(answer)) this.#set(change);
    return answer;
  }

  #set({ place, to }: Change): void {
    this.#known.set(keyOf(place), { place, seen: to });
  }

  /** Asks for every place. @returns what is not as it was answered, in words */
  async check(ask: Ask, root: string): Promise<string[]> {
    const wrong: string[] = [];
    for (const changes of this.#open.splice(0)) wrong.push(...(await this.#settle(changes, ask, root)));
    const waiting = [...this.#known.values()];
    const worker = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const seen = await look(ask, next.place, root);
        if (seen !== next.seen) wrong.push(`${next.place.path}: ${seen} instead of ${next.seen}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return wrong;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Both halves of a change are there, or none. */
  async #settle(changes: readonly Change[], ask: Ask, root: string): Promise<string[]> {
    const found = await Promise.all(changes.map(async ({ place, to }) => ({ place, to, seen: await look(ask, place, root) })));
    const done = found.filter(({ to, seen }) => to === seen);
    const before = found.filter(({ place, seen }) => (this.#known.get(keyOf(place))?.seen ?? null) === seen);
    if (done.length !== changes.length && before.length !== changes.length) return found.map(({ place, seen }) => `half a write: ${place.path} is ${seen}`);
    for (const { place, seen } of found) this.#set({ place, to: seen });
    return [];
  }
}

async function look(ask: Ask, { path, cookie }: Place, root: string): Promise<Seen> {
  const { status, body } = await ask('GET', path, { cookie: cookie ?? root });
  if (status === 404 || status === 401) return null;
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return summary(body);
}

/** The members that the writes of the test change. */
export function summary(body: Readonly<Record<string, unknown>>): string {
  const { session_max_age_seconds: age, roles, realms, client_certificate: certificate, totp_enabled: totp, sub } = body;
  return JSON.stringify(sub === undefined ? { age, roles, realms, certificate, totp } : { sub });
}
