// Many clients create, use and destroy keys on one slot while its token goes and comes back: right answers, and no session or key is left behind.
// It takes 10 s; GATEHOUSE_HSM_SOAK_SECONDS=600 is the long run, which CI does not make, and GATEHOUSE_HSM_SOAK_THREADS=2 has more threads use keys.
import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { test } from 'uvu';
import { canBuild, type FaultLibrary, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { skipWithout } from '../../system.ts';
import { bytes, done, enumeration, type HsmServer, identifier, kmip, makeSecret, parameters, startHsmServer } from './hsm-server.ts';

const SECONDS = Number(process.env['GATEHOUSE_HSM_SOAK_SECONDS'] ?? 5);
const CLIENTS = 24;
const THREADS = Number(process.env['GATEHOUSE_HSM_SOAK_THREADS'] ?? 1);
/** The sessions of the login, of uses, and of what takes long; and one of each further thread for uses. */
const SESSIONS = THREADS > 1 ? 3 + THREADS : 3;
/**
 * How much higher the second half of the run may peak than the first. A server that has just started grows by 200 MB, nearly all of it the heaps
 * of its threads and memory that malloc keeps; from the first minute on it does not grow any more. A whole minute is the least that shows that.
 */
const MAX_LATER_MB = 20;
const MIN_SECONDS_TO_TELL = 120;
/** What a client may be told while the token is away. */
const AWAY = /is not accessible: /;

interface Count {
  rounds: number;
  refused: number;
  /** Keys that were made, or may have been, and not destroyed. */
  readonly left: string[];
}

const rssMb = () => process.memoryUsage.rss() / 1_048_576;

/** Watches the memory of this process, which the server is. @returns a function that ends it, with the peaks of both halves in MB */
function watchMemory(): () => readonly [number, number] {
  const halves: [number, number] = [0, 0];
  const start = performance.now();
  const timer = setInterval(() => {
    const half = performance.now() - start < SECONDS * 500 ? 0 : 1;
    halves[half] = Math.max(halves[half], rssMb());
  }, 100);
  return () => {
    clearInterval(timer);
    return halves;
  };
}

/** One client: each round has a key of its own. A refusal must say that the slot is away. */
async function client({ admin, prefix }: HsmServer, name: string, isOver: () => boolean, count: Count): Promise<void> {
  const how = parameters(enumeration('BlockCipherMode', 'CBC'));
  for (let round = 0; !isOver(); round++) {
    const id = `${prefix}${name}-${round}`;
    const data = Buffer.from(`${id} keeps this`);
    const ask = async (asked: ReturnType<typeof kmip>) => {
      const answer = await asked;
      if (answer.status === 200) return Object.fromEntries((answer.body.value as { tag: string; value: string }[]).map(({ tag, value }) => [tag, value]));
      assert.match(String(answer.body.message), AWAY, `${id}: ${answer.text}`);
      count.refused += 1;
      return undefined;
    };
    if (!(await ask(makeSecret(admin, id)))) continue;
    const sealed = await ask(kmip(admin, 'Encrypt', identifier(id), how, bytes('Data', data)));
    const members = sealed && [bytes('Data', sealed['Data'] as string), bytes('IVCounterNonce', sealed['IVCounterNonce'] as string)];
    const opened = members && (await ask(kmip(admin, 'Decrypt', identifier(id), how, ...members)));
    if (opened) assert.equal(opened['Data'], data.toString('hex').toUpperCase(), id);
    if (!(await ask(kmip(admin, 'Destroy', identifier(id))))) count.left.push(id);
    count.rounds += 1;
  }
}

async function soak(server: HsmServer, library: FaultLibrary): Promise<Count> {
  const count: Count = { rounds: 0, refused: 0, left: [] };
  const end = performance.now() + SECONDS * 1_000;
  const clients = Array.from({ length: CLIENTS }, (_, at) => client(server, `c${at}`, () => performance.now() > end, count));
  const turns = async () => {
    for (let turn = 0; turn < 2; turn++) {
      await after((SECONDS * 1_000) / 6);
      library.tell('gone');
      await after((SECONDS * 1_000) / 12);
      library.tell(undefined);
    }
  };
  await Promise.all([...clients, turns()]);
  return count;
}

if (!skipWithout('softhsm2') && canBuild()) {
  test(`${CLIENTS} clients for ${SECONDS} s, ${THREADS > 1 ? `${THREADS} threads, ` : ''}while the token is taken away and comes back twice`, async () => {
    let library: FaultLibrary | undefined;
    const server = await startHsmServer({
      more: (folder) => {
        library = faultLibrary(folder, 'soak');
        return `library = "${library.path}"\nthreads = ${THREADS}`;
      },
    });
    try {
      await hold(server, library as FaultLibrary);
    } finally {
      (library as FaultLibrary).tell(undefined);
      await server.end();
    }
  });
  test.run();
}

async function hold(server: HsmServer, library: FaultLibrary): Promise<void> {
  const first = `${server.prefix}first`;
  await done(makeSecret(server.admin, first));
  const before = rssMb();
  const endMemory = watchMemory();
  const { rounds, refused, left } = await soak(server, library);
  const [early, late] = endMemory();
  await until(async () => (await kmip(server.admin, 'Encrypt', identifier(first), bytes('Data', 'AA'))).status === 200, 'the token is back', 20_000);
  assert.ok(rounds > 0 && refused > 0, `${rounds} rounds, ${refused} refusals`);
  const names = () => (server.hsm.tool(server.slot, 'labels(4)') as string[]).sort();
  assert.deepEqual(names(), ['first', ...left.map((id) => id.slice(server.prefix.length))].sort(), 'keys that are on the token');
  for (const id of left) await done(kmip(server.admin, 'Destroy', identifier(id)));
  assert.deepEqual(names(), ['first']);
  assert.equal(library.sessions(), SESSIONS);
  // A short run ends while the heaps still grow.
  if (SECONDS >= MIN_SECONDS_TO_TELL) assert.ok(late - early < MAX_LATER_MB, `memory grew from ${early} MB in the first half to ${late} MB in the second`);
  const grown = [early, late].map((peak) => Math.round(peak - before));
  console.log(`${rounds} rounds, ${refused} refusals, memory grew by ${grown[0]} MB in the first half, by ${grown[1]} MB until the end of the second`);
}
