// What traces cost: the same requests to a server that has no steps of traces at all, to one that traces nothing, to one that chooses hardly any request, and to one that sends every request to a collector.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { get } from './load/http-request.ts';
import { json, memberOf } from './load/kmip-json.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { report } from './report/report.ts';
import { AES, encryptBy, WITH_EMPTY } from './server/key-server.ts';
import { type ServerProcess, startServerProcess } from './server/server-process.ts';

const CONNECTIONS = [16];
/** So few that none is chosen, but each is asked about. */
const HARDLY_ANY = 1e-9;

const options = parseOptions(process.argv.slice(2));
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;

const start = (more = '', preload?: string) => startServerProcess(`[http]\nthreads = 1\n${more}${WITH_EMPTY}`, 4, { preload });
const without = await start('', new URL('./fakes/without-spans.ts', import.meta.url).href);
const off = await start();
const none = await start(`[tracing]\nendpoint = "${endpoint}"\nsample_ratio = ${HARDLY_ANY}\n`);
const all = await start(`[tracing]\nendpoint = "${endpoint}"\n`);

async function subjects(server: ServerProcess, how: string) {
  const id = memberOf(await server.ask(json(server.cookie, AES)), 'UniqueIdentifier');
  const common = { target: server, connections: CONNECTIONS };
  return [
    { what: `Encrypt, ${how}`, request: json(server.cookie, encryptBy(id)), ...common },
    { what: `/whoami, ${how}`, request: get('/whoami', { cookie: server.cookie }), ...common },
  ];
}

type Subjects = Awaited<ReturnType<typeof subjects>>;
const against = (measured: Subjects, limits: Subjects, name: string): Compared[] =>
  measured.map((subject, at) => ({ subject, limit: { name, subject: limits[at] as Subjects[number] } }));
const untraced = await subjects(off, 'not traced');
const compared = asked(
  [
    ...against(untraced, await subjects(without, 'without steps'), 'without steps'),
    ...against(await subjects(none, 'none chosen'), untraced, 'not traced'),
    ...against(await subjects(all, 'all sent'), untraced, 'not traced'),
  ],
  options,
);
const figures = await measureInTurns(subjectsOf(compared), options);
await Promise.all([without, off, none, all].map((server) => server.stop()));
collector.close();
const rows = comparisonRows(compared, figures, options);
report('tracing', rows, limitsOf(rows), comparisonCharts('tracing'));
