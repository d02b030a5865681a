// The clock of a machine jumps, forward and back: libfaketime tells the server another time, and no other clock.
import { writeFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { type Fault, show } from './fault.ts';

const JUMP_SECONDS = 900;
const TAKEN_MS = 2_500;

export const clockJumps: Fault = {
  name: 'clock-jumps',
  startsAnew: false,
  impossible: ({ clock }) => (clock.file ? undefined : clock.why),
  async happen({ nodes, clock, tally }, ms) {
    const [node] = nodes as [(typeof nodes)[0]];
    const seen: number[] = [];
    const texts: string[] = [];
    for (const jump of [JUMP_SECONDS, -JUMP_SECONDS]) {
      writeFileSync(clock.file as string, `${jump > 0 ? '+' : ''}${jump}\n`);
      await after(TAKEN_MS + ms / 2);
      seen.push(Math.round((await node.clock()) - Date.now() / 1000));
      texts.push((await node.ready()).text);
    }
    writeFileSync(clock.file as string, '+0\n');
    await after(TAKEN_MS);
    if (!texts.every((text) => text.includes('clock: it has jumped')))
      tally.wrong('the server works again after each fault', `/ready does not tell that the clock has jumped: ${texts}`);
    const [ahead = 0, behind = 0] = seen;
    return show(ahead > JUMP_SECONDS - 60 && behind < 60 - JUMP_SECONDS, `the clock of ${node.name} was ${ahead} s and then ${behind} s off`);
  },
};
