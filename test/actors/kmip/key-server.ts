// A key server of several real threads over a database for a test, without the front: operations are asked of whichever thread is idle.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HsmApi } from '../../../actors/hsm/api.ts';
import type { Answer, KmipApi, Principal } from '../../../actors/kmip/api.ts';
import { NO_QUOTAS } from '../../../actors/kmip/object/quota.ts';
import { pinned, type Remote, type ReplicatedSpec, replicated } from '../../../kernel/actor.ts';
import { createClock } from '../../../kernel/clock.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../../kmip/ttlv/json.ts';
import { bytes, enumeration, integer, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { keysActors } from '../../../plugins/keys/actors.ts';
import { KEYS_MIGRATIONS } from '../../../plugins/keys/migrations.ts';
import { postgresDatabase } from '../../database.ts';
import { ALICE } from '../../fakes/objects.ts';
import type { WitnessedArgs } from '../../fakes/witnessed-kmip.actor.ts';
import { createRuntime } from '../../runtime.ts';

export interface Answered {
  readonly ok: boolean;
  /** The reason of a refusal, as it begins the message. */
  readonly reason: string;
  /** Values of the members by tag name; of several with one name, the last. Bytes are hexadecimal. */
  // biome-ignore lint/suspicious/noExplicitAny: values are compared, whatever they are.
  readonly members: Readonly<Record<string, any>>;
  /** All values of UniqueIdentifier. */
  readonly ids: readonly string[];
  readonly thread: string;
  /** Objects that the thread has read from the store so far. */
  readonly reads: number;
}

type KmipSpec = ReturnType<typeof keysActors>['kmip'];
type Runtime = ReturnType<typeof createRuntime<{ kmip: KmipSpec }>>;

export interface KeyServerUnderTest extends Runtime {
  readonly kmip: Remote<KmipApi>;
  /** For rows that a test looks at itself. */
  readonly store: Store;
  /** One of HARM of the witnessed actor. */
  readonly harm: Int32Array;
  ask(operation: OperationName, members: readonly Node[], caller?: Principal): Promise<Answered>;
  /** The identifier that a successful operation answers. */
  made(operation: OperationName, members: readonly Node[], caller?: Principal): Promise<string>;
  end(): Promise<void>;
}

export interface KeyServerOptions {
  readonly threads: number;
  /** Of the database; one of the test's own without it. */
  readonly url?: string;
  readonly unshared?: boolean;
}

const CONFIG = {
  realm: '',
  realms: ['*'],
  default_unwrap_type: [],
  key_encryption_key: '',
  former_key_encryption_keys: [],
  privileged_users: [],
  vendor_identification: 'gatehouse',
  algorithms: [],
  json_names: 'profile' as const,
  header_credentials: 'checked' as const,
  self_tests: false,
  placement: 'own' as const,
  rotation_check_seconds: 0,
  max_seals_per_data_key: 2 ** 28,
  kmip_listener: { enabled: false, host: '', port: 0 },
  identity_providers: [],
  quotas: NO_QUOTAS,
  asynchronous: { requests_per_identity: 6, requests: 20, result_seconds: 600 },
};

export async function startKeyServer({ threads, url, unshared = false }: KeyServerOptions): Promise<KeyServerUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  const address = url ?? (await postgresDatabase(folder)) ?? `sqlite:${join(folder, 'keys.db')}`;
  const store = await openStore(address, { writer: `test ${folder}`, clock: createClock() });
  await migrate(store, [{ owner: 'keys', migrations: KEYS_MIGRATIONS }], () => 1);
  const harm = new Int32Array(new SharedArrayBuffer(4));
  const { kmip: real, kmip_stream } = keysActors(CONFIG, '0');
  const args: WitnessedArgs = { ...real.args, unshared, harm };
  const kmip = replicated({
    ...real,
    module: new URL('../../fakes/witnessed-kmip.actor.ts', import.meta.url),
    size: threads,
    args,
    memoryMb: 128,
    restart: { max: 50, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 },
  }) as ReplicatedSpec<NonNullable<KmipSpec['api']>, KmipSpec['args']>;
  const hsm = pinned<HsmApi, never>({ module: new URL('../../../actors/hsm/hsm.actor.ts', import.meta.url), instances: {}, deadlineMs: 1_000 });
  const made = createRuntime({ kmip, kmip_stream, hsm }, address, folder);
  await made.runtime.start();
  const remote = made.ref('kmip');
  const ask = async (operation: OperationName, members: readonly Node[], caller: Principal = ALICE) => {
    const message = encodeJson(structure(TAG.RequestPayload, members), operation);
    return read(await remote.serve(message, 'json', '2_1', caller));
  };
  return {
    ...made,
    kmip: remote,
    store,
    harm,
    ask,
    async made(operation, members, caller) {
      const answer = await ask(operation, members, caller);
      assert.ok(answer.ok, `${operation}: ${answer.reason}`);
      return answer.ids[0] as string;
    },
    async end() {
      await made.runtime.stop();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Member {
  readonly tag: string;
  readonly value: unknown;
}

function read({ status, body, outcomes }: Answer): Answered {
  const answer = JSON.parse(Buffer.from(body).toString()) as { value: readonly Member[]; message?: string };
  const said = (word: string) => outcomes.find((outcome) => outcome.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
  const members = status === 200 ? answer.value : [];
  return {
    ok: status === 200,
    reason: answer.message ?? '',
    members: Object.fromEntries(members.map(({ tag, value }) => [tag, value])),
    ids: members.filter(({ tag }) => tag.endsWith('UniqueIdentifier')).map(({ value }) => String(value)),
    thread: said('thread'),
    reads: Number(said('reads')),
  };
}

const { CryptographicAlgorithm, ObjectType } = ENUM;

export const named = (id: string): Node => text(TAG.UniqueIdentifier, id);

/** Members of a Create: an AES key that is active and may do everything. */
export function aesKey(...more: readonly Node[]): Node[] {
  return [
    enumeration(TAG.ObjectType, ObjectType.SymmetricKey),
    structure(TAG.Attributes, [
      enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 256),
      integer(TAG.CryptographicUsageMask, 0x0c),
      { tag: TAG.ActivationDate, type: ENUM.ItemType.DateTime, value: 1 },
      ...more,
    ]),
  ];
}

const GCM = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);

export const encryption = (id: string): Node[] => [named(id), GCM, bytes(TAG.Data, Buffer.from('protected'))];

/** Of what an Encrypt has answered. */
export function decryption(id: string, { members }: Answered): Node[] {
  const from = (name: string) => new Uint8Array(Buffer.from(members[name] as string, 'hex'));
  return [
    named(id),
    GCM,
    bytes(TAG.Data, from('Data')),
    bytes(TAG.IVCounterNonce, from('IVCounterNonce')),
    bytes(TAG.AuthenticatedEncryptionTag, from('AuthenticatedEncryptionTag')),
  ];
}

export function revocation(id: string, reason: keyof typeof ENUM.RevocationReasonCode = 'CessationOfOperation'): Node[] {
  return [named(id), structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode[reason])])];
}
