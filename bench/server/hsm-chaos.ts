// What befalls the other HSM instances while one hangs, crashes or is slow: requests per second of each over time.
import { faultLibrary } from '../../test/fakes/pkcs11-fault/build.ts';
import { drive } from '../load/generator.ts';
import type { HttpRequest } from '../load/http-request.ts';
import type { BenchOptions, HsmFault } from '../options.ts';
import type { Chart } from '../report/chart.ts';
import { round } from '../report/report.ts';
import type { Row } from '../report/results-file.ts';
import { measure, WARM_SECONDS } from './hsm-load.ts';
import { type HsmServer, makeTokens, startHsmServer } from './hsm-server.ts';

const SLICES = 12;
/** The slices in which the fault is there. */
const FAULTY = { from: 3, to: 7 };
const ISOLATED = 'isolation = "process"\ndeadline_seconds = 1\nprobe_seconds = 1\n';

/** @returns a row for each slice; the fault befalls the first instance */
export async function chaos(kind: HsmFault, { library, seconds, instances, operations, connections }: BenchOptions): Promise<Row[]> {
  const count = Math.max(2, ...instances.filter((each) => each <= 4));
  const tokens = makeTokens(count);
  const faulty = faultLibrary(tokens.folder, 'faulty');
  const hsm = await startHsmServer(library, tokens.slots, 'chaos', `library = "${faulty.path}"\n${ISOLATED}`);
  const [operation = 'aes-gcm'] = operations;
  const requests = await hsm.requests(operation);
  const each = Math.max(1, Math.floor((connections.at(-1) as number) / count));
  const { address, ca } = hsm.server;
  await measure(hsm, { requests, connections: each * count, seconds: WARM_SECONDS });
  const rows: Row[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    faulty.tell(slice >= FAULTY.from && slice < FAULTY.to ? (kind === 'slow' ? 'slow 1000' : kind) : undefined);
    const [first, ...others] = requests as [() => HttpRequest, ...(() => HttpRequest)[]];
    const [own, ...rates] = await Promise.all([
      successes(hsm, first, seconds),
      ...others.map(async (next) => (await drive({ address, ca, request: next(), connections: each, seconds })).perSecond),
    ]);
    const named = [own as number, ...rates].map((rate, at) => [at === 0 ? 'faulty/s' : `instance ${at}/s`, Math.round(rate)]);
    rows.push({ what: `${kind}, ${operation}, after ${round((slice + 1) * seconds)} s`, ...Object.fromEntries(named) });
  }
  faulty.tell(undefined);
  await hsm.server.stop();
  tokens.end();
  return rows;
}

/** Answers of success per second of a client with one connection; what is under way at the end of the turn does not count. */
async function successes({ server }: HsmServer, next: () => HttpRequest, seconds: number): Promise<number> {
  let count = 0;
  let isOver = false;
  const worker = async () => {
    while (!isOver) {
      const isDone = await server.ask(next()).then(
        () => true,
        () => false,
      );
      if (isDone && !isOver) count += 1;
    }
  };
  void worker();
  await new Promise((end) => setTimeout(end, seconds * 1_000));
  isOver = true;
  return count / seconds;
}

export function chaosChart(kind: HsmFault, rows: readonly Row[]): Chart {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => key.endsWith('/s'))))];
  const numbers = (column: string) => rows.map((row) => (typeof row[column] === 'number' ? row[column] : null));
  return {
    title: `hsm-routing: ${kind} befalls one instance`,
    unit: 'requests/s',
    kind: 'line',
    names: rows.map(({ what }) => String(what).replace(/^.*after /, '')),
    series: Object.fromEntries(columns.map((column) => [column, numbers(column)])),
  };
}
