// The built-in plugins with a kmip actor that echoes: what the front does is seen without what the actor does.
import { definePlugin } from '../../../kernel/plugin.ts';
import auth from '../../../plugins/auth/plugin.ts';
import hsm from '../../../plugins/hsm/plugin.ts';
import { type KeysActors, keysActors, type Neighbours } from '../../../plugins/keys/actors.ts';
import type { KeysConfig } from '../../../plugins/keys/config.ts';
import keys from '../../../plugins/keys/plugin.ts';
import tokenize from '../../../plugins/tokenize/plugin.ts';

const echoing = definePlugin<KeysConfig, KeysActors, Neighbours>({
  ...keys,
  actors(config, _kernel, _base, version) {
    const { kmip, ...others } = keysActors(config, version);
    return { ...others, kmip: { ...kmip, module: new URL('../../fakes/kmip.actor.ts', import.meta.url), beside: undefined, size: 1 } };
  },
});

export const ECHOING = [auth, hsm, tokenize, echoing] as never;
