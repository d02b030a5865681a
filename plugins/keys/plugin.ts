// The key server: KMIP over HTTPS and TLS, a REST API for JOSE, and who may use which object.
import { definePlugin } from '../../kernel/plugin.ts';
import { accessRoutes } from './access.ts';
import { type KeysActors, keysActors, type Neighbours } from './actors.ts';
import { tendAsynchronousRegularly } from './asynchronous.ts';
import { keysAuthenticators } from './authenticators.ts';
import { KEYS_CONFIG, type KeysConfig, keysProblems } from './config.ts';
import { cryptoRoutes } from './crypto.ts';
import { KEYS_FAULTS } from './faults.ts';
import { configuredSlots, hsmKeyEncryptionKey, hsmKeyNamed } from './hsm-kek.ts';
import { forRealms } from './identity.ts';
import { kmipRoutes } from './kmip.ts';
import { kmipListeners } from './listener.ts';
import { KEYS_MIGRATIONS } from './migrations.ts';
import { outcomeCounter } from './outcomes.ts';
import { rotateRegularly } from './rotation.ts';
import { serverRoutes } from './server-info.ts';
import { purgeTicketsRegularly } from './ticket-purge.ts';
import { tombstoneRoutes } from './tombstones.ts';

export default definePlugin<KeysConfig, KeysActors, Neighbours>({
  name: 'keys',
  config: KEYS_CONFIG,
  problems: keysProblems,
  faults: KEYS_FAULTS,
  tags: {
    KMIP: 'The Key Management Interoperability Protocol, versions 1.0 to 2.1 and the draft of 3.0, over HTTP.',
    'REST Crypto API': 'Encrypt, decrypt, sign, verify and compute MACs with the same keys, in the forms of JOSE.',
    'Access control': 'Grants: who may use the objects of others, and how.',
  },
  migrations: KEYS_MIGRATIONS,
  actors: (config, _kernel, _base, version) => keysActors(config, version),
  authenticators: keysAuthenticators,
  keyEncryptionKey({ config, actors, sections }, id) {
    const instances = { ref: actors.hsm, slots: configuredSlots(sections.get('hsm')) };
    if (id !== undefined) return hsmKeyNamed(id, instances);
    return config.key_encryption_key === '' ? undefined : hsmKeyEncryptionKey(config.key_encryption_key, instances);
  },
  routes(ctx) {
    const count = outcomeCounter(ctx.metrics);
    const ofObjects = [...kmipRoutes(ctx, count), ...cryptoRoutes(ctx, count), ...accessRoutes(ctx)];
    return [...forRealms(ctx.config, ofObjects), ...tombstoneRoutes(ctx), ...serverRoutes(ctx)];
  },
  // The command-line client that uses compact names sends no Accept header, and expects JSON.
  isVersionJson: ({ json_names: names }) => names === 'compact',
  listeners: (ctx) => kmipListeners(ctx, outcomeCounter(ctx.metrics)),
  async open(ctx) {
    rotateRegularly(ctx);
    tendAsynchronousRegularly(ctx);
    purgeTicketsRegularly(ctx);
    return [];
  },
});
