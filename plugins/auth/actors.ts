// The actors of the authentication service.
import { resolve } from 'node:path';
import type { DirectoryApi } from '../../actors/directory/api.ts';
import type { DirectoryArgs } from '../../actors/directory/directory-server.ts';
import type { IdentityApi } from '../../actors/identity/api.ts';
import type { IdentityArgs } from '../../actors/identity/identity.actor.ts';
import type { PasswordApi } from '../../actors/password/api.ts';
import type { SessionApi } from '../../actors/session/api.ts';
import type { SessionArgs } from '../../actors/session/session.actor.ts';
import type { TokenApi } from '../../actors/token/api.ts';
import type { TokenArgs } from '../../actors/token/token.actor.ts';
import { pinned, replicated, sharded } from '../../kernel/actor.ts';
import { ConfigError } from '../../kernel/config/config-error.ts';
import type { KernelConfig } from '../../kernel/config/sections.ts';
import { readPem } from '../../kernel/pem.ts';
import type { PluginContext } from '../../kernel/plugin.ts';
import { QUIET_THREAD } from '../../kernel/quiet-thread.ts';
import { cores } from '../../kernel/runtime/runtime.ts';
import type { AuthConfig } from './config.ts';

/** Hashes that may wait or run. At 60 to 130 ms each, the last one waits a few seconds. */
const PASSWORD_QUEUE = 64;

export function authActors(config: AuthConfig, kernel: KernelConfig, base: string) {
  const beside = (module: string) => (config.placement === 'beside' ? new URL(`../../actors/${module}`, import.meta.url) : undefined);
  const lockout = {
    failures: config.lockout_failures,
    failuresAllSources: config.lockout_failures_all_sources,
    windowMs: config.lockout_window_seconds * 1000,
    lockMs: config.lockout_seconds * 1000,
  };
  return {
    directory: pinned<DirectoryApi, DirectoryArgs>({
      module: new URL('../../actors/directory/directory.actor.ts', import.meta.url),
      instances: {
        main: { auditRetentionDays: kernel.audit.retention_days, lockout, quotas: config.quotas, clientCertificates: kernel.http.tls.client_ca !== '' },
      },
      deadlineMs: 10_000,
      sharedThread: QUIET_THREAD,
      noProcess: 'it runs no native code of its own, and every sign-in and right waits for it',
      store: true,
      dataKeys: ['auth'],
    }),
    session: sharded<SessionApi, SessionArgs>({
      module: new URL('../../actors/session/session.actor.ts', import.meta.url),
      beside: beside('session/session.beside.ts'),
      shards: 1,
      // Below the thread's memory; enough for at least 200 000 sessions without extra claims.
      args: { cacheBytes: 134_217_728, quotas: config.quotas },
      deadlineMs: 10_000,
      maxQueue: 4_096,
      memoryMb: 384,
      noProcess: 'it answers every request from memory: [auth] placement says where',
      store: true,
    }),
    password: replicated<PasswordApi, null>({
      module: new URL('../../actors/password/password.actor.ts', import.meta.url),
      size: cores,
      // The first sign-in finds a thread; the others start if passwords wait.
      start: 'soon',
      // The next password is already in the thread while it computes the last hash.
      prefetch: 2,
      args: null,
      deadlineMs: 15_000,
      maxQueue: PASSWORD_QUEUE,
      // Hashing uses the CPU time that the front leaves, so that a busy machine still answers other requests quickly.
      nice: 10,
    }),
    identity: pinned<IdentityApi, IdentityArgs>({
      module: new URL('../../actors/identity/identity.actor.ts', import.meta.url),
      instances: { main: { caFile: authorityFile(config.jwks_ca, base) } },
      // Time for two fetches of a key set and a wait in the queue.
      deadlineMs: 15_000,
      sharedThread: QUIET_THREAD,
    }),
    token: sharded<TokenApi, TokenArgs>({
      module: new URL('../../actors/token/token.actor.ts', import.meta.url),
      beside: beside('token/token.beside.ts'),
      shards: 1,
      args: { quotas: config.quotas },
      deadlineMs: 10_000,
      maxQueue: 4_096,
      // Without a part beside its callers it serves every request of a machine.
      sharedThread: config.placement === 'beside' ? QUIET_THREAD : undefined,
      noProcess: 'it answers every request from memory: [auth] placement says where',
      store: true,
    }),
  };
}

/** @throws ConfigError if a file is configured but cannot be used */
function authorityFile(configured: string, base: string): string {
  if (configured === '') return '';
  const path = resolve(base, configured);
  readPem(path, 'certificate', (problem) => {
    throw new ConfigError([`auth.jwks_ca: ${problem}`]);
  });
  return path;
}

export type AuthActors = ReturnType<typeof authActors>;
export type AuthContext = PluginContext<AuthConfig, AuthActors>;
