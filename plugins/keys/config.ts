// The section [keys] of config.toml.
import type { Static } from 'typebox';
import { PLACEMENT_OR_PROCESS } from '../../kernel/config/placement.ts';
import { Host, Section } from '../../kernel/config/schema.ts';
import { IDENTITY_PROVIDER, providerProblems } from '../../kernel/http/caller/identity-provider.ts';
import { MAX_SEALS } from '../../kernel/keys/data-key.ts';
import { isRealmId, realmListProblems } from '../../kernel/realm-id.ts';
import Type from '../../kernel/type.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';

/** Templates hold no key: nobody wraps them. */
const OBJECT_TYPES = [...Object.keys(ENUM.ObjectType).filter((name) => name !== 'Template'), 'All'];
const names = (minLength = 1, maxLength = 1_024) => Type.Array(Type.String({ minLength, maxLength }), { default: [] });

/** 0 means no limit. */
const quota = (value: number) => Type.Integer({ default: value, minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const PROVIDER = Type.Object(IDENTITY_PROVIDER, { additionalProperties: false });

export const KEYS_CONFIG = Section({
  realm: Type.String({ default: '' }),
  realms: Type.Array(Type.String(), { default: ['*'] }),
  default_unwrap_type: Type.Array(Type.Enum(OBJECT_TYPES), { default: [] }),
  key_encryption_key: Type.String({
    default: '',
    maxLength: 256,
    pattern: '^(|hsm::.+)$',
    description: 'the identifier of a key in an HSM, which begins with hsm::, or empty',
  }),
  former_key_encryption_keys: Type.Array(
    Type.String({ maxLength: 256, pattern: '^hsm::.+$', description: 'the identifier of a key in an HSM, which begins with hsm::' }),
    { default: [], maxItems: 1_000 },
  ),
  privileged_users: names(),
  vendor_identification: Type.String({
    default: 'gatehouse',
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9_. -]+$',
    description: 'letters, digits, spaces and . _ -',
  }),
  algorithms: Type.Array(Type.Enum(Object.keys(ENUM.CryptographicAlgorithm)), { default: [] }),
  json_names: Type.Enum(['profile', 'compact'], { default: 'profile' }),
  header_credentials: Type.Enum(['checked', 'ignored'], { default: 'checked' }),
  placement: PLACEMENT_OR_PROCESS,
  self_tests: Type.Boolean({ default: true }),
  rotation_check_seconds: Type.Integer({ default: 60, minimum: 0, maximum: 86_400 }),
  max_seals_per_data_key: Type.Integer({ default: MAX_SEALS, minimum: 4, maximum: MAX_SEALS }),
  kmip_listener: Section({
    enabled: Type.Boolean({ default: false }),
    host: Host(),
    port: Type.Integer({ default: 5696, minimum: 0, maximum: 65_535 }),
  }),
  identity_providers: Type.Array(PROVIDER, { default: [] }),
  asynchronous: Section({
    requests_per_identity: Type.Integer({ default: 1_000, minimum: 1, maximum: 100_000 }),
    requests: Type.Integer({ default: 20_000, minimum: 1, maximum: 1_000_000 }),
    result_seconds: Type.Integer({ default: 3_600, minimum: 60, maximum: 604_800 }),
  }),
  quotas: Section({
    objects_per_identity: quota(1_000_000),
    object_bytes_per_identity: quota(10_737_418_240),
    objects_per_realm: quota(10_000_000),
    object_bytes_per_realm: quota(107_374_182_400),
    grants_per_identity: quota(1_000_000),
  }),
});

export type KeysConfig = Static<typeof KEYS_CONFIG>;

export function keysProblems({ realm, realms, identity_providers: providers }: KeysConfig): string[] {
  return [
    ...(realm === '' || isRealmId(realm) ? [] : ['.realm: not a valid realm name: use 1 to 64 letters, digits, _ and -']),
    ...(realm === '' || realms.includes('*') || realms.includes(realm) ? [] : [`.realm: ${realm} is not in keys.realms: add it there`]),
    ...realmListProblems('.realms', realms),
    ...providerProblems('.identity_providers', providers),
  ];
}
