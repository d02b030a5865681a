// The two walks of CONTRIBUTING.md: which files a request runs through, traced in a started server. `npm run walks` writes them.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { decodeJson } from '../../kmip/ttlv/json.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import { signInAdmin } from '../server.ts';
import { read } from './sources.ts';
import { startTracer, type Tracer } from './traced.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const DOCUMENT = join(root, 'CONTRIBUTING.md');

/** What a reader meets once, whatever the request: the names of these lists, and the files that belong to each. */
const MACHINERY: readonly (readonly [name: string, files: RegExp])[] = [
  ['front', /^kernel\/(http\/|listener\/|shared\/|[^/]+$)/],
  ['calls', /^kernel\/(runtime|tracing)\//],
  ['store', /^kernel\/store\//],
  ['libraries', /^(kmip|crypto|jose|text)\//],
];
export const MACHINERY_NAMES: readonly string[] = MACHINERY.map(([name]) => name);
const PASSWORD = 'correct horse battery';
/** Requests before the first that counts: caches are full and connections are open. */
const WARM_UP = 3;
/** A timer that fires meanwhile is not in all of them. */
const RUNS = 5;
/** Their timers run all the time, whoever asks for what: they belong to no request. */
const TIMERS: readonly string[] = [
  'kernel/runtime/measure/collect.ts',
  'kernel/stalled.ts',
  'kernel/health/clock-probe.ts',
  'kernel/hands.ts',
  'kernel/repeat.ts',
];
/** From the border of the server to the store and back: folders in the order in which a reader meets them. */
const ORDER = ['kernel/listener', 'kernel/http', 'kernel', 'plugins', 'kernel/runtime', 'kernel/tracing', 'actors', 'jose', 'kmip', 'crypto', 'kernel/store'];

export interface Walk {
  /** Its name in the document. */
  readonly name: string;
  /** Files that ran each time, in the order of the document. */
  readonly always: readonly string[];
  /** Files that ran at least once. */
  readonly ever: readonly string[];
}

/** Every walk, whole, traced anew in one server. */
export async function traceWalks(): Promise<readonly Walk[]> {
  const server = await startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
  const tracer = await startTracer();
  try {
    await signInAdmin(server, PASSWORD);
    const signIn = () => server.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` }).then(({ cookie }) => expected(cookie, 'a cookie'));
    const encrypt = await encryption(await kmipClient(server));
    return [await trace('password', signIn, tracer), await trace('encrypt', encrypt, tracer)];
  } finally {
    await tracer.stop();
    await server.end();
  }
}

async function trace(name: string, run: () => Promise<unknown>, tracer: Tracer): Promise<Walk> {
  for (let time = 0; time < WARM_UP; time++) await run();
  const runs: (readonly string[])[] = [];
  for (let time = 0; time < RUNS; time++) runs.push(await tracer.filesOf(run));
  const ever = [...new Set(runs.flat())].filter((file) => !TIMERS.includes(file)).sort(byOrder);
  return { name, ever, always: ever.filter((file) => runs.every((each) => each.includes(file))) };
}

/** The machinery of all walks, list by list, and then each walk without it: a reader meets the machinery once. */
function apart(walks: readonly Walk[]): readonly Pick<Walk, 'name' | 'always'>[] {
  const all = [...new Set(walks.flatMap(({ always }) => always))].sort(byOrder);
  const isMachinery = (file: string) => MACHINERY.some(([, files]) => files.test(file));
  return [
    ...MACHINERY.map(([name, files]) => ({ name, always: all.filter((file) => files.test(file)) })),
    ...walks.map(({ name, always }) => ({ name, always: always.filter((file) => !isMachinery(file)) })),
  ];
}

function expected<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the answer holds no ${what}`);
  return value;
}

type Send = (message: Uint8Array) => Promise<Buffer>;

/** One connection of a client with a certificate. */
async function kmipClient(server: SecureServer): Promise<Send> {
  const socket: TLSSocket = server.dial(server.kmipPort(), await server.client('owner@acme.com'));
  await once(socket, 'secureConnect');
  return async (message) => {
    socket.write(message);
    let answer = Buffer.alloc(0);
    do answer = Buffer.concat([answer, (await once(socket, 'data'))[0] as Buffer]);
    while (answer.length < 8 || answer.length < 8 + answer.readUInt32BE(4));
    return answer;
  };
}

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };
const s = (tag: string, ...value: Json[]): Json => ({ tag, value });
const e = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
const n = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });

function message(operation: string, ...payload: Json[]): Uint8Array {
  const version = s('ProtocolVersion', n('ProtocolVersionMajor', 2), n('ProtocolVersionMinor', 1));
  const item = s('BatchItem', e('Operation', operation), s('RequestPayload', ...payload));
  return encodeBinary(decodeJson(Buffer.from(JSON.stringify(s('RequestMessage', s('RequestHeader', version, n('BatchCount', 1)), item)))));
}

/** Encoded before the walk begins: what the client does is no part of it. */
async function encryption(send: Send): Promise<() => Promise<unknown>> {
  const active: Json = { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' };
  const attributes = s('Attributes', e('CryptographicAlgorithm', 'AES'), n('CryptographicLength', 256), n('CryptographicUsageMask', 12), active);
  const created = await send(message('Create', e('ObjectType', 'SymmetricKey'), attributes));
  // The header has one too, ServerCorrelationValue: that of the payload comes last.
  const id = expected(
    created
      .toString('latin1')
      .match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)
      ?.at(-1),
    'identifier',
  );
  const request = message('Encrypt', { tag: 'UniqueIdentifier', type: 'TextString', value: id }, { tag: 'Data', type: 'ByteString', value: '68656C6C6F' });
  return async () => {
    const answer = await send(request);
    // ResultStatus, an enumeration: Success.
    if (!answer.toString('hex').includes('42007f05000000040000000000000000')) throw new Error(`Encrypt failed: ${answer.toString('latin1')}`);
  };
}

function byOrder(one: string, other: string): number {
  return placeOf(one) - placeOf(other) || (one < other ? -1 : 1);
}

/** The longest folder of the order that a file is in. */
function placeOf(file: string): number {
  const [best] = ORDER.filter((folder) => file.startsWith(`${folder}/`)).sort((one, other) => other.length - one.length);
  return best === undefined ? ORDER.length : ORDER.indexOf(best);
}

const jobOf = (file: string) => (read(file).split('\n')[0] as string).replace(/^\/\/ /, '');

const markOf = (name: string) => new RegExp(`(<!-- walk: ${name} -->\n)([\\s\\S]*?)(<!-- end -->)`);

/** The files that the document lists for a walk. */
export function toldFiles(text: string, name: string): readonly string[] {
  const list = markOf(name).exec(text)?.[2] ?? '';
  return [...list.matchAll(/^\d+\. \[([^\]]+)\]\(\1\): (.+)$/gm)].map(([, file]) => file as string);
}

export function withWalk(text: string, { name, always }: Pick<Walk, 'name' | 'always'>): string {
  const lines = always.map((file, index) => `${index + 1}. [${file}](${file}): ${jobOf(file)}`);
  if (!markOf(name).test(text)) throw new Error(`CONTRIBUTING.md has no place for the walk ${name}`);
  return text.replace(markOf(name), (_all, begin: string, _old, end: string) => `${begin}${lines.join('\n')}\n${end}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const walks = apart(await traceWalks());
  writeFileSync(DOCUMENT, walks.reduce(withWalk, readFileSync(DOCUMENT, 'utf8')));
  for (const { name, always } of walks) console.log(`${name}: ${always.length} files`);
}
