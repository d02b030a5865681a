// The threads of the key server, and what its routes work with.
import type { DirectoryApi } from '../../actors/directory/api.ts';
import type { HsmApi } from '../../actors/hsm/api.ts';
import type { IdentityApi } from '../../actors/identity/api.ts';
import type { KmipApi, KmipArgs } from '../../actors/kmip/api.ts';
import type { PasswordApi } from '../../actors/password/api.ts';
import type { StreamApi, StreamArgs } from '../../actors/stream/api.ts';
import { type PinnedSpec, pinned, type ReplicatedSpec, replicated } from '../../kernel/actor.ts';
import { composed } from '../../kernel/normal-form.ts';
import type { PluginContext } from '../../kernel/plugin.ts';
import { QUIET_THREAD } from '../../kernel/quiet-thread.ts';
import { cores } from '../../kernel/runtime/runtime.ts';
import type { KeysConfig } from './config.ts';

const STREAM_THREADS = 1;

export function keysActors(config: KeysConfig, version: string) {
  const placed = { process: config.placement === 'process', noProcess: '[keys] placement says where it lives' };
  const kmip = replicated<KmipApi, KmipArgs>({
    module: new URL('../../actors/kmip/kmip.actor.ts', import.meta.url),
    beside: config.placement === 'beside' ? new URL('../../actors/kmip/kmip.beside.ts', import.meta.url) : undefined,
    size: cores,
    ...placed,
    spare: hasSpares(config),
    spareWithout: 'hsm',
    // The thread finds the next small requests in its queue while it still answers the last one.
    prefetch: 16,
    args: argsOf(config, version),
    // Some keys take long to generate: RSA of 4096 bits and more, SLH-DSA.
    deadlineMs: 60_000,
    maxQueue: 4_096,
    // Room for several bodies of 64 MiB at once.
    memoryMb: 1_024,
    store: true,
    dataKeys: ['keys'],
    peers: ['kmip_stream', 'hsm'],
  });
  // Holds the state of multi-part operations, whose messages may reach different threads of the key server.
  const kmip_stream = pinned<StreamApi, StreamArgs>({
    module: new URL('../../actors/stream/stream.actor.ts', import.meta.url),
    instances: Object.fromEntries(Array.from({ length: STREAM_THREADS }, (_, at) => [String(at), { selfTests: config.self_tests }])),
    ...placed,
    deadlineMs: 60_000,
    memoryMb: 1_024,
    // With "own", keys never leave the threads of the key server; with "process", its processes.
    sharedThread: config.placement === 'beside' ? QUIET_THREAD : undefined,
  });
  return { kmip, kmip_stream };
}

function argsOf(config: KeysConfig, version: string): KmipArgs {
  return {
    version,
    vendorIdentification: config.vendor_identification,
    jsonNames: config.json_names,
    privilegedUsers: config.privileged_users.map(composed),
    quotas: config.quotas,
    asynchronous: {
      requestsPerIdentity: config.asynchronous.requests_per_identity,
      requests: config.asynchronous.requests,
      resultSeconds: config.asynchronous.result_seconds,
    },
    defaultUnwrapType: config.default_unwrap_type,
    algorithms: config.algorithms,
    keyEncryptionKeys: [config.key_encryption_key, ...config.former_key_encryption_keys].filter((id) => id !== ''),
    maxSealsPerDataKey: config.max_seals_per_data_key,
    selfTests: config.self_tests,
  };
}

/** With "own" the threads do all the work; a process is dear, so there too a further one starts when those that run are busy. One that has opened the data key still serves when the key-encryption key is away. */
function hasSpares({ placement, key_encryption_key }: KeysConfig): boolean {
  return placement !== 'own' && key_encryption_key === '';
}

export type KeysActors = ReturnType<typeof keysActors>;

/** Actors of other plugins: those of the authentication service that verify JWTs and passwords and know the super admins, and the HSM instances, whose status is reported. */
export type Neighbours = {
  readonly directory: PinnedSpec<DirectoryApi, unknown>;
  readonly identity: PinnedSpec<IdentityApi, unknown>;
  readonly password: ReplicatedSpec<PasswordApi, unknown>;
  readonly hsm: PinnedSpec<HsmApi, unknown>;
};

export type KeysContext = PluginContext<KeysConfig, KeysActors & Neighbours>;
