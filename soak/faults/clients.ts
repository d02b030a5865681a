// Clients hang up before they have their answers.
import { setTimeout as after } from 'node:timers/promises';
import { always, type Fault, show } from './fault.ts';

export const clientsHangUp: Fault = {
  name: 'clients-hang-up',
  startsAnew: false,
  impossible: always,
  async happen({ manners, tally }, ms) {
    const before = tally.hungUp;
    manners.hangUps = 0.3;
    await after(ms);
    manners.hangUps = 0;
    return show(tally.hungUp > before, `${tally.hungUp - before} requests lost their client`);
  },
};
