// `gatehouse hsm status`: the HSM instances with their slots.
import { command, type Group } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';

const status = command({
  name: 'status',
  about: 'Show the HSM instances and whether their tokens answer; the exit code is 8 if one does not',
  example: 'gatehouse hsm status',
  async run(given) {
    const instances = await given.client().call('GET /hsm/status');
    const rows = instances.flatMap(({ prefix, model, slots }) => slots.map(({ slot_id, accessible }) => ({ prefix, model, slot: slot_id, accessible })));
    given.out.table(rows, ['prefix', 'model', 'slot', 'accessible']);
    const away = rows.filter(({ accessible }) => !accessible);
    if (away.length > 0) throw new CommandError(`${away.length} of ${rows.length} slots cannot be used now`, EXIT.wrong);
  },
});

export const HSM_GROUP: Group = { name: 'hsm', about: 'Hardware security modules', commands: [status] };
