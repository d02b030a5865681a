// Owners who grant the use of a key to somebody else and take it back, while that one uses it, through all nodes.
import { bytes, dateTime } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { History } from '../history.ts';
import { aesKey, GCM, jsonKmip, type Kmip, named } from '../kmip.ts';
import { GRANT } from '../models/grant.ts';
import { anyKmip, anyVoice, type Client } from './client.ts';
import type { Subject } from './subject.ts';

const DATA = bytes(TAG.Data, Buffer.from('what a key of somebody else protects'));
/** A missing right looks like a missing object. */
const MISSING = /^(Item_Not_Found|Object_Not_Found|ItemNotFound|ObjectNotFound)\b/;
const RIGHTS = ['encrypt'];

/** @param friend uses the key */
export async function makeGrant(owner: Client, friend: Client): Promise<Subject | undefined> {
  const made = await anyKmip(owner)('Create', aesKey(dateTime(TAG.ActivationDate, 1)));
  if (made && !made.ok) owner.tally.wrong('no answer is wrong', `Create was refused: ${made.reason}`);
  if (!made?.ok) return undefined;
  const id = String(made.members['UniqueIdentifier']);
  const history = new History(GRANT, id);
  const change = (worker: string, verb: 'grant' | 'revoke') =>
    history.run(worker, verb, async () => {
      const body = { unique_identifier: id, user_id: friend.name, operation_types: RIGHTS };
      const answer = await anyVoice(owner).caller.ask(`${verb} of a right`, 'POST', `/access/${verb}`, { body });
      return answer && (answer.status === 200 ? 'done' : `${answer.status} ${answer.text}`);
    });
  const use = (worker: string, kmip: Kmip) =>
    history.run(worker, 'use', async () => {
      const answer = await kmip('Encrypt', [named(id), GCM, DATA]);
      return answer && (answer.ok ? 'accepted' : MISSING.test(answer.reason) ? 'refused' : answer.reason);
    });
  return {
    history,
    async act(worker) {
      const chance = owner.random.next();
      if (chance < 0.15) await change(worker, 'grant');
      else if (chance < 0.25) {
        const output = await change(worker, 'revoke');
        // What was revoked is tried at once through all nodes.
        if (output !== undefined) await Promise.all(friend.voices.map(({ caller }, at) => use(`${worker} at ${at}`, jsonKmip(caller))));
      } else await use(worker, anyKmip(friend));
    },
    // The same node as that of the owner's voice.
    async look({ caller }) {
      const own = friend.voices.find((voice) => voice.caller.node === caller.node);
      if (own) await use('at the end', jsonKmip(own.caller));
    },
  };
}
