// How many keys the server creates: AES keys, each durable before its answer, beside an empty route; RSA pairs beside a loop that makes nothing else.
import { bareRate } from './bare/bare-loop.ts';
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { json } from './load/kmip-json.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { report } from './report/report.ts';
import { AES, EMPTY_GET, RSA_PAIR, WITH_EMPTY } from './server/key-server.ts';
import { startServerProcess } from './server/server-process.ts';

/** A pair takes a tenth of a second, more or less: a shorter loop says little. */
const BARE_SECONDS = 3;

const options = parseOptions(process.argv.slice(2));
const server = await startServerProcess(WITH_EMPTY, 4);
const connections = [16];
const all: Compared[] = [
  {
    subject: { what: 'Create AES', target: server, request: json(server.cookie, AES), connections },
    limit: { name: 'empty route', subject: { what: 'empty GET', target: server, request: EMPTY_GET, connections } },
  },
  {
    subject: { what: 'Create RSA-2048 pair', target: server, request: json(server.cookie, RSA_PAIR), connections },
    limit: { name: 'bare loop', perSecond: await bareRate('RSA-2048 pair', BARE_SECONDS) },
  },
];
const compared = asked(all, options);
const figures = await measureInTurns(subjectsOf(compared), options);
await server.stop();
const rows = comparisonRows(compared, figures, options);
report('create', rows, limitsOf(rows), comparisonCharts('create'));
