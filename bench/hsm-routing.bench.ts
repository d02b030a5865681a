// What routing to HSMs costs: operations on keys of one and of many instances, beside a bare PKCS#11 loop on the same token, a key in software and the empty route.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type HsmOperation, parseOptions } from './options.ts';
import type { Chart } from './report/chart.ts';
import { limitsOf } from './report/limits.ts';
import { median, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { chaos, chaosChart } from './server/hsm-chaos.ts';
import { type Load, type Measured, measure, mediansOf, ratioOf, rowOf, WARM_SECONDS } from './server/hsm-load.ts';
import { type BareLoop, bareLoop, type HsmServer, makeTokens, startHsmServer, type Tokens } from './server/hsm-server.ts';
import { EMPTY_GET } from './server/key-server.ts';

const options = parseOptions(process.argv.slice(2));
const { library, seconds, rounds, operations, fault } = options;
const connections = options.connections.at(-1) as number;

/** Turns of the subjects that were measured beside one another. */
interface Turns {
  readonly bare: BareLoop[];
  readonly bareOnAll: BareLoop[];
  readonly bareSoftware: BareLoop[];
  readonly empty: Measured[];
  readonly software: Measured[];
  /** Only the first instance is busy; with `alone` the server has no other. */
  readonly first: Measured[];
  readonly alone: Measured[];
  readonly all: Measured[];
}

/** A server with all instances, and one with the first alone. */
interface Servers {
  readonly tokens: Tokens;
  readonly hsm: HsmServer;
  readonly lone: HsmServer | undefined;
  /** Uses the key in software: one server with both loads would keep the fronts that only this one gains from. */
  readonly apart: HsmServer | undefined;
}

async function compare(count: number): Promise<Row[]> {
  const tokens = makeTokens(count);
  const hsm = await startHsmServer(library, tokens.slots, 'key');
  const lone = count > 1 ? await startHsmServer(library, tokens.slots.slice(0, 1), 'lone') : undefined;
  const apart = count === 1 && operations.includes('aes-gcm') ? await startHsmServer(library, tokens.slots, 'apart') : undefined;
  const rows: Row[] = [];
  for (const operation of operations) {
    rows.push(...rowsOf(operation, count, await turnsOf(operation, { tokens, hsm, lone, apart })));
    progress(`${operation} with ${count} instances`);
  }
  await hsm.server.stop();
  await lone?.server.stop();
  await apart?.server.stop();
  tokens.end();
  return rows;
}

async function turnsOf(operation: HsmOperation, { tokens, hsm, lone, apart }: Servers): Promise<Turns> {
  const slot = tokens.slots[0] as number;
  const bare = (what: Parameters<typeof bareLoop>[2], threads?: number) => bareLoop(library, slot, what, seconds, threads);
  const requests = await hsm.requests(operation);
  const [alone] = (await lone?.requests(operation)) ?? [];
  const software = operation === 'aes-gcm' ? await apart?.software() : undefined;
  const loadOf = (...each: Load['requests']): Load => ({ requests: each, isNewEachTime: operation === 'create', connections, seconds });
  const empty: Load = { requests: [() => EMPTY_GET], connections, seconds };
  await measure(hsm, { ...loadOf(...requests), seconds: WARM_SECONDS });
  if (apart && software) await measure(apart, { ...loadOf(software), seconds: WARM_SECONDS });
  if (lone && alone) await measure(lone, { ...loadOf(alone), seconds: WARM_SECONDS });
  const turns: Turns = { bare: [], bareOnAll: [], bareSoftware: [], empty: [], software: [], first: [], alone: [], all: [] };
  for (let turn = 0; turn < rounds; turn++) {
    turns.bare.push(await bare(operation));
    turns.first.push(await measure(hsm, loadOf(...requests.slice(0, 1))));
    if (lone && alone) turns.alone.push(await measure(lone, loadOf(alone)));
    turns.empty.push(await measure(hsm, empty));
    if (requests.length > 1) turns.all.push(await measure(hsm, loadOf(...requests)));
    else turns.bareOnAll.push(await bare(operation, availableParallelism()));
    if (!apart || !software) continue;
    turns.software.push(await measure(apart, loadOf(software)));
    turns.bareSoftware.push(await bare('aes-gcm in software'));
  }
  return turns;
}

function rowsOf(operation: HsmOperation, count: number, { bare, bareOnAll, bareSoftware, empty, software, first, alone, all }: Turns): Row[] {
  const compared = (runs: readonly Measured[]) => ({ 'of the bare loop': ratioOf(runs, bare), 'of the empty route': ratioOf(runs, empty) });
  const bareRow = (what: string, loops: readonly BareLoop[]): Row => ({
    ...{ what: `${operation}, ${what}`, connections: 1, 'requests/s': Math.round(median(loops.map(({ perSecond }) => perSecond))) },
    'CPU us': round(median(loops.map(({ cpuUs }) => cpuUs))),
  });
  const row = (what: string, runs: readonly Measured[]) => rowOf(`${operation}, ${what}`, connections, mediansOf(runs));
  if (count === 1) {
    const ofSoftware = software.length === 0 ? [] : [bareRow('bare loop in software', bareSoftware), row('key in software', software)];
    const routing = software.length === 0 ? [] : [{ what: `${operation}, routing`, connections, 'CPU us': routingUs(first, software, bare, bareSoftware) }];
    const bares = [bareRow('bare loop', bare), bareRow('bare loop on all cores', bareOnAll), ...ofSoftware, row('empty route', empty)];
    return [...bares, { ...row('1 of 1 instances', first), ...compared(first) }, ...routing];
  }
  const rows: Row[] = [{ ...row(`1 of ${count} instances`, first), ...compared(first), 'of one instance': ratioOf(first, alone) }];
  rows.push({ ...row(`all of ${count} instances`, all), ...compared(all) });
  // Each needs a core, and the front one more.
  if (count >= availableParallelism()) return rows;
  const perEach = all.map((run) => ({ ...run, perSecond: run.perSecond / count }));
  return [...rows, { ...row(`each of ${count} instances`, perEach), 'of the bare loop': ratioOf(perEach, bare) }];
}

/** CPU of finding the instance, crossing to its thread and back: what a key on a token costs more than one in software, without what the token costs more than the cipher. */
function routingUs(onToken: readonly Measured[], software: readonly Measured[], bare: readonly BareLoop[], bareSoftware: readonly BareLoop[]): number {
  const more = (runs: readonly { cpuUs: number }[], than: readonly { cpuUs: number }[]) => runs.map(({ cpuUs }, turn) => cpuUs - (than[turn]?.cpuUs ?? 0));
  const inServer = more(onToken, software);
  const inLoop = more(bare, bareSoftware);
  return round(median(inServer.map((us, turn) => us - (inLoop[turn] as number))));
}

function rateChart(rows: readonly Row[]): Record<string, Chart> {
  const rated = rows.filter((row) => typeof row['requests/s'] === 'number');
  const series = { 'requests/s': rated.map((row) => row['requests/s'] as number) };
  const names = rated.map(({ what }) => String(what));
  return { 'hsm-routing-rate': { title: 'hsm-routing: requests per second', unit: 'requests/s', kind: 'bar', names, series } };
}

if (!existsSync(library)) {
  progress(`hsm-routing needs ${library}: install softhsm2, or name another library with --library`);
  process.exit();
}
// A file of its own: rows of a run with a fault are no measure of the routing.
if (fault) report(`hsm-routing-${fault}`, await chaos(fault, options), [], (rows) => ({ [`hsm-routing-${fault}`]: chaosChart(fault, rows) }));
else {
  const rows: Row[] = [];
  for (const count of options.instances) rows.push(...(await compare(count)));
  report('hsm-routing', rows, limitsOf(rows), rateChart);
}
// An ended turn may still have a call under way.
process.exit();
