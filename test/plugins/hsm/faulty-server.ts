// A server whose HSM instance has two slots of the library of faults, and what tests do there.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HsmQuirks } from '../../../actors/hsm/quirks.ts';
import { type FaultLibrary, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import type { Answer } from '../../server.ts';
import { boolean, bytes, curve, done, enumeration, type HsmServer, identifier, kmip, makePair, makeSecret, parameters, startHsmServer } from './hsm-server.ts';

const DATA = Buffer.from('to be kept');
const CBC = parameters(enumeration('BlockCipherMode', 'CBC'));

export interface Faulty extends HsmServer {
  readonly library: FaultLibrary;
  /** A key of that name on the first slot, and on the second. */
  readonly ids: (name: string) => readonly [string, string];
  readonly encrypt: (id: string) => Promise<Answer>;
}

const started: HsmServer[] = [];

/** Ends the servers of a test. */
export async function endFaulty(): Promise<void> {
  for (const server of started.splice(0)) await server.end();
}

/** A server whose instance has two slots, with a key named `key` on each. @param told before the start @param quirks of a model of its own, instead of soft_hsm */
export async function startFaulty(more: string, told?: string, quirks?: HsmQuirks): Promise<Faulty> {
  let library: FaultLibrary | undefined;
  const model = quirks ? 'faulty' : 'soft_hsm';
  const server = await startHsmServer({
    slots: 2,
    model,
    more(folder) {
      library = faultLibrary(folder, 'threads');
      library.tell(told);
      return `library = "${library.path}"\n${more}\n${quirks ? ownModel(folder, model, quirks) : ''}`;
    },
  });
  started.push(server);
  const ids = (name: string) => server.slots.map((slot) => `hsm::${model}::${slot}::${name}`) as unknown as [string, string];
  const encrypt = (id: string) => kmip(server.admin, 'Encrypt', identifier(id), CBC, bytes('Data', DATA));
  for (const id of ids('key')) {
    await until(async () => (await makeSecret(server.admin, id)).status === 200, id, 20_000);
    await done(encrypt(id));
  }
  return { ...server, library: library as FaultLibrary, ids, encrypt };
}

function ownModel(folder: string, model: string, quirks: HsmQuirks): string {
  const module = join(folder, `${model}.mjs`);
  writeFileSync(module, `export default ${JSON.stringify({ model, about: 'of a test', libraries: { linux: [] }, env: ['SOFTHSM2_CONF'], quirks })};`);
  return `[[hsm_models]]\nmodule = "${module}"\n`;
}

/** A vendor's tool destroys a key, and the token gives the handle of it to another one. @param use of the key, which knew its handle before */
export async function reuses(faulty: Faulty, name: string, use: () => Promise<Answer>): Promise<void> {
  for (const each of [name, 'heir']) await done(makeSecret(faulty.admin, faulty.ids(each)[0], ...OPEN));
  await done(use());
  faulty.hsm.tool(faulty.slot, `destroy(4, '${name}')`);
  faulty.library.tell('reuse heir');
}

/** The key can be given out. */
const OPEN = [boolean('Sensitive', false), boolean('Extractable', true)];

export async function during(
  faulty: Faulty,
  id: string,
  work: Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly uses: number; readonly ms: number }> {
  let answer: Answer | undefined;
  const start = performance.now();
  void work.then((given) => {
    answer = given;
  });
  let uses = 0;
  for (; !answer; uses++) await done(faulty.encrypt(id));
  return { answer, uses, ms: performance.now() - start };
}

export async function opens({ admin }: Faulty, id: string, sealed: Record<string, string>): Promise<void> {
  const members = [bytes('Data', sealed['Data'] as string), bytes('IVCounterNonce', sealed['IVCounterNonce'] as string)];
  assert.equal((await done(kmip(admin, 'Decrypt', identifier(id), CBC, ...members)))['Data'], DATA.toString('hex').toUpperCase());
}

export const isAccessible = async ({ admin }: Faulty): Promise<readonly boolean[]> =>
  (await admin('GET', '/hsm/status')).body[0].slots.map(({ accessible }: { accessible: boolean }) => accessible);

export const pair = ({ admin }: Faulty, id: string) => makePair(admin, id, enumeration('CryptographicAlgorithm', 'EC'), curve('P_256'));
