// Clients of the key server: keys that may be used a few times, and keys that go through their life, by JSON and in binary, through all nodes.
import { bytes, dateTime } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { History } from '../history.ts';
import { aesKey, attributeOf, CESSATION, GCM, jsonKmip, type Kmip, type KmipAnswer, limitedTo, named } from '../kmip.ts';
import type { Deed } from '../model.ts';
import { usageLimit } from '../models/counted.ts';
import { KEY_STATE } from '../models/key-state.ts';
import { anyKmip, type Client } from './client.ts';
import type { Subject } from './subject.ts';

const DATA = bytes(TAG.Data, Buffer.from('what a key of a soak protects'));
const REFUSALS = /^(Permission_Denied|PermissionDenied|Wrong_Key_Lifecycle_State|WrongKeyLifecycleState|Object_Destroyed|ObjectDestroyed)\b/;

const outputOf = (answer: KmipAnswer | undefined, success: Deed['output']): Deed['output'] =>
  answer && (answer.ok ? success : REFUSALS.test(answer.reason) ? 'refused' : answer.reason);

async function created(client: Client, payload: ReturnType<typeof aesKey>): Promise<string | undefined> {
  const made = await anyKmip(client)('Create', payload);
  if (made && !made.ok) client.tally.wrong('no answer is wrong', `Create was refused: ${made.reason}`);
  return made?.ok ? String(made.members['UniqueIdentifier']) : undefined;
}

async function use(kmip: Kmip, id: string): Promise<Deed['output']> {
  return outputOf(await kmip('Encrypt', [named(id), GCM, DATA]), 'accepted');
}

export async function makeLimitedKey(client: Client): Promise<Subject | undefined> {
  const uses = 3 + client.random.below(10);
  const id = await created(client, aesKey(dateTime(TAG.ActivationDate, 1), limitedTo(uses)));
  if (id === undefined) return undefined;
  const history = new History(usageLimit(uses), id);
  const read = (worker: string, kmip: Kmip) =>
    history.run(worker, 'read', async () => {
      const answer = await kmip('GetAttributes', [named(id)]);
      const limits = answer?.ok ? (attributeOf(answer, 'UsageLimits') as readonly { tag: string; value: unknown }[]) : undefined;
      return answer && (answer.ok ? Number(limits?.find(({ tag }) => tag === 'UsageLimitsCount')?.value) : answer.reason);
    });
  return {
    history,
    async act(worker) {
      const kmip = anyKmip(client);
      await (client.random.next() < 0.2 ? read(worker, kmip) : history.run(worker, 'use', () => use(kmip, id)));
    },
    async look({ caller }) {
      await read('at the end', jsonKmip(caller));
    },
  };
}

const EVENTS = [
  ['activate', (kmip: Kmip, id: string) => kmip('Activate', [named(id)])],
  ['revoke', (kmip: Kmip, id: string) => kmip('Revoke', [named(id), CESSATION])],
  ['destroy', (kmip: Kmip, id: string) => kmip('Destroy', [named(id)])],
] as const;

export async function makeKeyLife(client: Client): Promise<Subject | undefined> {
  const id = await created(client, aesKey());
  if (id === undefined) return undefined;
  const history = new History(KEY_STATE, id);
  const read = (worker: string, kmip: Kmip) =>
    history.run(worker, 'read', async () => {
      const answer = await kmip('GetAttributes', [named(id)]);
      return answer && (answer.ok ? String(attributeOf(answer, 'State')) : answer.reason);
    });
  const event = (worker: string, [name, ask]: (typeof EVENTS)[number]) =>
    history.run(worker, name, async () => outputOf(await ask(anyKmip(client), id), 'done'));
  return {
    history,
    async act(worker, isLast) {
      const chance = client.random.next();
      if (chance < 0.1) await event(worker, EVENTS[0]);
      else if (isLast && chance < 0.3) await event(worker, client.random.pick(EVENTS));
      else if (chance < 0.5) await read(worker, anyKmip(client));
      else await history.run(worker, 'use', () => use(anyKmip(client), id));
    },
    async look({ caller }) {
      await read('at the end', jsonKmip(caller));
    },
  };
}
