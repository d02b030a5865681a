// Programs that sign in with a role: app tokens that are used, renewed and revoked through all nodes, and secret ids that may be used a few times.
import { History } from '../history.ts';
import type { Deed } from '../model.ts';
import { secretId } from '../models/counted.ts';
import { TOKEN } from '../models/revocable.ts';
import { anyVoice, type Client, type Voice } from './client.ts';
import type { Subject } from './subject.ts';

/** Roles: one gives tokens to whoever knows its id, the other asks for a secret id. */
export const OPEN_ROLE = 'soak-open';
export const COUNTED_ROLE = 'soak-counted';

/** Numbers tokens in reports, which must not name them. */
let made = 0;

export async function makeToken(client: Client, roleId: string): Promise<Subject | undefined> {
  const given = await anyVoice(client).caller.ask('sign-in, role', 'POST', '/auth/approle/login', { body: { role_id: roleId } });
  const token: unknown = given?.body?.auth?.client_token;
  if (given && typeof token !== 'string') client.tally.wrong('no answer is wrong', `a role's sign-in was answered with ${given.status} ${given.text}`);
  if (typeof token !== 'string') return undefined;
  const headers = { 'x-app-token': token };
  const history = new History(TOKEN, `token ${++made}`);
  const self = (worker: string, { caller }: Voice, name: string, [method, verb]: readonly ['GET' | 'POST', string], success: string) =>
    history.run(worker, name, async () => {
      const answer = await caller.ask(`token ${verb}`, method, `/auth/token/${verb}-self`, { headers });
      if (!answer) return undefined;
      if (verb === 'lookup' && answer.status === 200 && answer.body.data?.id !== token)
        client.tally.wrong('no answer goes to another caller', 'a token that is not the own');
      return answer.status < 300 ? success : answer.status === 403 ? 'refused' : `${answer.status} ${answer.text}`;
    });
  const use = (worker: string, voice: Voice) => self(worker, voice, 'use', ['GET', 'lookup'], 'accepted');
  return {
    history,
    async act(worker, isLast) {
      const chance = client.random.next();
      if (isLast && chance < 0.3) {
        const output = await self(worker, anyVoice(client), 'end-itself', ['POST', 'revoke'], 'ended');
        // What was revoked is tried at once through all nodes.
        if (output !== undefined) await Promise.all(client.voices.map((voice, at) => use(`${worker} at ${at}`, voice)));
      } else if (chance < 0.8) await use(worker, anyVoice(client));
      else await self(worker, anyVoice(client), 'renew', ['POST', 'renew'], 'accepted');
    },
    async look(voice) {
      await use('at the end', voice);
    },
  };
}

const OUTPUTS: Readonly<Record<number, Deed['output']>> = { 200: 'accepted', 403: 'exhausted', 400: 'unknown' };

export async function makeSecretId(client: Client, roleId: string): Promise<Subject | undefined> {
  const uses = 1 + client.random.below(4);
  const path = `/auth/approle/role/${COUNTED_ROLE}/secret-id`;
  const made = await anyVoice(client).caller.ask('secret id', 'POST', path, { cookie: client.root, body: { num_uses: uses } });
  if (!made) return undefined;
  const { secret_id: secret, secret_id_accessor: accessor } = made.body?.data ?? {};
  if (typeof secret !== 'string') {
    client.tally.wrong('no answer is wrong', `a secret id was answered with ${made.status} ${made.text}`);
    return undefined;
  }
  const history = new History(secretId(uses), accessor);
  const use = (worker: string, { caller }: Voice) =>
    history.run(worker, 'use', async () => {
      const answer = await caller.ask('sign-in, secret id', 'POST', '/auth/approle/login', { body: { role_id: roleId, secret_id: secret } });
      return answer && (OUTPUTS[answer.status] ?? `${answer.status} ${answer.text}`);
    });
  const destroy = (worker: string) =>
    history.run(worker, 'destroy', async () => {
      const options = { cookie: client.root, body: { secret_id_accessor: accessor } };
      const answer = await anyVoice(client).caller.ask('end of a secret id', 'POST', `${path}/destroy`, options);
      return answer && (answer.status < 300 ? 'destroyed' : `${answer.status} ${answer.text}`);
    });
  return {
    history,
    async act(worker, isLast) {
      await (isLast && client.random.next() < 0.1 ? destroy(worker) : use(worker, anyVoice(client)));
    },
    async look(voice) {
      await use('at the end', voice);
    },
  };
}
