// Clients that sign in with their certificates, use their sessions through all nodes, and have them ended.
import { History } from '../history.ts';
import { SESSION } from '../models/revocable.ts';
import { anyVoice, type Client, type Voice } from './client.ts';
import type { Subject } from './subject.ts';

export const REALM = 'soak';

export async function makeSession(client: Client): Promise<Subject | undefined> {
  const given = await anyVoice(client).caller.ask('sign-in, certificate', 'POST', `/login?realm=${REALM}`);
  if (!given) return undefined;
  if (given.status !== 200 || given.cookie === undefined) {
    client.tally.wrong('no answer is wrong', `a sign-in of ${client.name} was answered with ${given.status} ${given.text}`);
    return undefined;
  }
  const { cookie } = given;
  const id = String(given.body.session_id);
  const history = new History(SESSION, id);
  const use = (worker: string, { caller }: Voice) =>
    history.run(worker, 'use', async () => {
      const answer = await caller.ask('whoami', 'GET', '/whoami', { cookie });
      if (!answer) return undefined;
      if (answer.status === 200 && answer.body.sub !== client.name)
        client.tally.wrong('no answer goes to another caller', `${answer.body.sub} instead of ${client.name}`);
      return answer.status === 200 ? 'accepted' : answer.status === 401 ? 'refused' : `${answer.status} ${answer.text}`;
    });
  /** What was revoked is tried at once through all nodes. */
  const end = async (worker: string) => {
    const output = await ended(worker);
    if (output !== undefined) await Promise.all(client.voices.map((voice, at) => use(`${worker} at ${at}`, voice)));
  };
  const ended = (worker: string) =>
    history.run(worker, 'end', async () => {
      const answer = await anyVoice(client).caller.ask('end of a session', 'DELETE', '/sessions', { cookie: client.root, body: { session_ids: [id] } });
      return answer && (answer.status < 300 ? 'ended' : `${answer.status} ${answer.text}`);
    });
  return {
    history,
    async act(worker, isLast) {
      await (isLast && client.random.next() < 0.3 ? end(worker) : use(worker, anyVoice(client)));
    },
    async look(voice) {
      await use('at the end', voice);
    },
  };
}
