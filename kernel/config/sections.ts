// The sections of config.toml that belong to the kernel.
import type { Static } from 'typebox';
import { LOG_LEVELS } from '../log/log.ts';
import { TRACING } from '../trace-config.ts';
import Type from '../type.ts';
import { Host, Secret, Section } from './schema.ts';

/** A list of modules: names of packages, or paths that begin with `.` or `/`. */
export const MODULES = Type.Array(Type.Object({ module: Type.String({ minLength: 1 }) }, { additionalProperties: false }), { default: [] });

export const KERNEL_SECTIONS = {
  http: Section({
    host: Host(),
    port: Type.Integer({ default: 8443, minimum: 0, maximum: 65_535 }),
    // 0: one, and more when it is busy: as many as cores, at most 8.
    threads: Type.Integer({ default: 0, minimum: 0, maximum: 8 }),
    stuck_seconds: Type.Integer({ default: 10, minimum: 0, maximum: 3_600 }),
    trusted_proxies: Type.Array(Type.String(), { default: [] }),
    proxy_protocol: Type.Array(Type.String(), { default: [] }),
    body_limit: Type.Integer({ default: 1_048_576, minimum: 1_024, maximum: 67_108_864 }),
    request_timeout: Type.Integer({ default: 30, minimum: 1, maximum: 600 }),
    write_timeout: Type.Integer({ default: 30, minimum: 1, maximum: 600 }),
    drain_seconds: Type.Integer({ default: 0, minimum: 0, maximum: 60 }),
    // The minimum leaves room for a message of the largest size, 64 MiB.
    caller_memory: Type.Integer({ default: 134_217_728, minimum: 67_108_864, maximum: 4_294_967_296 }),
    total_memory: Type.Integer({ default: 201_326_592, minimum: 67_108_864, maximum: 68_719_476_736 }),
    tls: Section({
      cert: Type.String({ default: '' }),
      key: Type.String({ default: '' }),
      client_ca: Type.String({ default: '' }),
      client_crl: Type.String({ default: '' }),
    }),
  }),
  store: Section({
    url: Secret({ default: 'sqlite:gatehouse.db', minLength: 1 }),
    root_key: Secret({ default: '' }),
    cache: Type.Boolean({ default: true }),
  }),
  actors: Section({
    share_threads: Type.Boolean({ default: true }),
    processes: Type.Array(Type.String({ minLength: 1 }), { default: [], uniqueItems: true }),
  }),
  log: Section({ level: Type.Enum([...LOG_LEVELS], { default: 'info' }) }),
  metrics: Section({ allow: Type.Array(Type.String(), { default: [] }) }),
  tracing: TRACING,
  audit: Section({ retention_days: Type.Integer({ default: 365, minimum: 1, maximum: 36_500 }) }),
  plugins: MODULES,
} as const;

export type KernelConfig = { readonly [K in keyof typeof KERNEL_SECTIONS]: Static<(typeof KERNEL_SECTIONS)[K]> };
