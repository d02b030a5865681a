// `gatehouse status`: what the server says of itself, with an exit code for scripts.
import { command } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';

export const status = command({
  name: 'status',
  about: 'Tell what of the server is not ready or degraded, and its version (super admins); ends with 8 if something is not ready',
  example: 'gatehouse status',
  async run({ client, out }) {
    const { version: _, ...state } = await client().call('GET /operations/status');
    const build = await client().call('GET /version/build');
    if (out.isJson) out.record({ ...state, build });
    else out.record({ state: state.not_ready.length === 0 ? 'ready' : 'not ready', ...state, ...build });
    if (state.not_ready.length > 0) throw new CommandError(`the server is not ready: ${state.not_ready.join(', ')}`, EXIT.wrong);
  },
});
