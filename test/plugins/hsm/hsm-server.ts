// A server with tokens of SoftHSM, and people with client certificates: an administrator of the HSM, and a user who is none.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Answer, Ask } from '../../server.ts';
import { createSoftHsm, type SoftHsm } from '../../softhsm.ts';

export type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };

export const enumeration = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
export const integer = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
export const boolean = (tag: string, value: boolean): Json => ({ tag, type: 'Boolean', value });
export const text = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
export const bytes = (tag: string, value: string | Uint8Array): Json => ({
  tag,
  type: 'ByteString',
  value: typeof value === 'string' ? value : Buffer.from(value).toString('hex').toUpperCase(),
});
export const structure = (tag: string, ...value: Json[]): Json => ({ tag, value });
export const identifier = (id: string): Json => text('UniqueIdentifier', id);
export const parameters = (...value: Json[]): Json => structure('CryptographicParameters', ...value);

export const PIN = '12345678';
const ADMIN = 'hsm-admin@acme.com';
const USER = 'user@acme.com';

export interface HsmServer extends SecureServer {
  readonly hsm: SoftHsm;
  readonly slot: number;
  readonly slots: readonly number[];
  /** `hsm::<model>::<slot>::` */
  readonly prefix: string;
  readonly admin: Ask;
  readonly user: Ask;
}

export const USER_NAME = USER;

interface Wish {
  /** Tokens of the instance. */
  readonly slots?: number;
  /** More lines of its configuration. @param folder of the tokens */
  readonly more?: string | ((folder: string) => string);
  readonly model?: string;
  /** The PIN is in the file `pin` in the folder of the tokens, not in the configuration. */
  readonly hasPinFile?: boolean;
  /** More tables of the configuration. @param folder of the tokens */
  readonly tables?: (folder: string) => string;
}

export async function startHsmServer({ slots = 1, more = '', model = 'soft_hsm', hasPinFile = false, tables = () => '' }: Wish = {}): Promise<HsmServer> {
  const hsm = createSoftHsm();
  const numbers = Array.from({ length: slots }, (_, at) => hsm.addToken(`token ${at}`, PIN));
  if (hasPinFile) writeFileSync(join(hsm.folder, 'pin'), PIN);
  const password = hasPinFile ? `{ file = "${join(hsm.folder, 'pin')}" }` : `"${PIN}"`;
  const config = `[[hsm_instances]]\nhsm_model = "${model}"\nhsm_admin = ["${ADMIN}"]\nhsm_slot = [${numbers}]\nhsm_password = [${numbers.map(() => password)}]\nprobe_seconds = 1\n${typeof more === 'string' ? more : more(hsm.folder)}\n${tables(hsm.folder)}\n`;
  const server = await startSecureServer({ config });
  const [admin, user] = (await Promise.all([ADMIN, USER].map(async (name) => server.as(await server.client(name))))) as [Ask, Ask];
  const [slot] = numbers as [number];
  return {
    ...server,
    hsm,
    slot,
    slots: numbers,
    prefix: `hsm::${model}::${slot}::`,
    admin,
    user,
    async end() {
      await server.end();
      hsm.end();
    },
  };
}

export const kmip = (as: Ask, operation: string, ...value: Json[]): Promise<Answer> => as('POST', '/kmip/2_1', { body: { tag: operation, value } });

/** As `kmip`, for operations that only KMIP 3.0 has: in a message, whose answer is told as that to a single operation. */
export async function kmip3(as: Ask, operation: string, ...value: Json[]): Promise<Answer> {
  const version = structure('ProtocolVersion', integer('ProtocolVersionMajor', 3), integer('ProtocolVersionMinor', 0));
  const item = structure('BatchItem', enumeration('Operation', operation), structure('RequestPayload', ...value));
  const answer = await as('POST', '/kmip', { body: structure('RequestMessage', structure('RequestHeader', version), item) });
  const told = (answer.body.value as Json[]).find(({ tag }) => tag === 'BatchItem')?.value as Json[];
  const of = (tag: string) => told.find((member) => member.tag === tag)?.value;
  if (of('ResultStatus') === 'Success') return { ...answer, body: { value: of('ResponsePayload') } };
  return { ...answer, status: 422, body: { message: `${of('ResultReason')}: ${of('ResultMessage')}` } };
}

/** The members of the response, by tag; of several with one tag, all values. */
export async function done(answer: Promise<Answer>): Promise<Record<string, string> & { readonly all: (tag: string) => string[] }> {
  const { status, text: body, body: json } = await answer;
  assert.equal(status, 200, body);
  const members: readonly Json[] = json.value;
  const all = (tag: string) => members.filter((member) => member.tag === tag).map(({ value }) => String(value));
  return Object.assign(Object.fromEntries(members.map(({ tag, value }) => [tag, value])), { all }) as never;
}

/** Holds that the operation is refused, and how. */
export async function refused(answer: Promise<Answer>, expected: RegExp): Promise<void> {
  const { status, body } = await answer;
  assert.ok(status >= 400 && status < 500, `HTTP ${status}`);
  assert.match(body.message, expected);
}

export function makeSecret(as: Ask, id: string, ...more: Json[]): Promise<Answer> {
  const attributes = [
    enumeration('CryptographicAlgorithm', 'AES'),
    integer('CryptographicLength', 256),
    integer('CryptographicUsageMask', 0x3bf),
    identifier(id),
  ];
  return kmip(as, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...attributes, ...more));
}

export function makePair(as: Ask, id: string, ...common: Json[]): Promise<Answer> {
  return kmip(
    as,
    'CreateKeyPair',
    structure('CommonAttributes', ...common),
    structure('PrivateKeyAttributes', integer('CryptographicUsageMask', 0x829), identifier(id)),
    structure('PublicKeyAttributes', integer('CryptographicUsageMask', 0x16)),
  );
}

export const curve = (name: string): Json => structure('CryptographicDomainParameters', enumeration('RecommendedCurve', name));
