// The library of an HSM hangs, or crashes with the process that has it.
import { setTimeout as after } from 'node:timers/promises';
import { bytes } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { CBC, jsonKmip, named } from '../kmip.ts';
import type { World } from '../world.ts';
import { comes, type Fault, show } from './fault.ts';

const withoutHsm = ({ hsm }: World) => (hsm.library ? undefined : hsm.why);
const DATA = bytes(TAG.Data, Buffer.from('asked of a token that may hang'));
const BACK_MS = 60_000;

function libraryFails(line: 'hang' | 'crash'): Fault {
  return {
    name: `hsm-${line === 'hang' ? 'hangs' : 'crashes'}`,
    startsAnew: false,
    impossible: withoutHsm,
    async happen(world, ms) {
      const [node] = world.nodes as [World['nodes'][0]];
      const { library, probe } = world.hsm as Required<World['hsm']>;
      const kmip = jsonKmip(world.operator);
      const asks = async () => (await kmip('Encrypt', [named(probe), CBC, DATA]))?.ok === true;
      const before = await node.metric('gatehouse_actor_restarts_total', /hsm/);
      library.tell(line);
      const asked = asks();
      await after(ms);
      const inTime = await Promise.race([asked, after(1, false)]);
      library.tell(undefined);
      const isBack = await comes(asks, BACK_MS);
      const restarts = (await node.metric('gatehouse_actor_restarts_total', /hsm/)) - before;
      if (!isBack)
        world.tally.wrong('the server works again after each fault', `a key of the HSM is not there ${BACK_MS / 1000} s after the library did "${line}"`);
      const isShown = line === 'hang' ? !inTime : restarts > 0;
      return show(isShown, `a key of the token was ${inTime ? '' : 'not '}answered within ${ms} ms, and its process started ${restarts} times again`);
    },
  };
}

export const hsmHangs = libraryFails('hang');
export const hsmCrashes = libraryFails('crash');
