// What traces cost: the same requests to a server that traces nothing, to one that chooses no request, and to one that sends every request to a collector.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { get } from './http-request.ts';
import { AES, encryptBy, WITH_EMPTY } from './key-server.ts';
import { json, memberOf } from './kmip-json.ts';
import { limitsOf } from './limits.ts';
import { parseOptions } from './options.ts';
import { report } from './report.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { measureInTurns } from './turns.ts';

const CONNECTIONS = [16];

const options = parseOptions(process.argv.slice(2));
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;

const start = (more = '') => startServerProcess(`[http]\nthreads = 1\n${more}${WITH_EMPTY}`, 4);
const off = await start();
const none = await start(`[tracing]\nendpoint = "${endpoint}"\nsample_ratio = 0.0\n`);
const all = await start(`[tracing]\nendpoint = "${endpoint}"\n`);

async function subjects(server: ServerProcess, how: string) {
  const id = memberOf(await server.ask(json(server.cookie, AES)), 'UniqueIdentifier');
  const common = { target: server, connections: CONNECTIONS };
  return [
    { what: `Encrypt, ${how}`, request: json(server.cookie, encryptBy(id)), ...common },
    { what: `/whoami, ${how}`, request: get('/whoami', { cookie: server.cookie }), ...common },
  ];
}

const untraced = await subjects(off, 'not traced');
const against = async (server: ServerProcess, how: string): Promise<Compared[]> =>
  (await subjects(server, how)).map((subject, at) => {
    const limit = untraced[at];
    return limit ? { subject, limit: { name: 'not traced', subject: limit } } : { subject };
  });
const compared = asked([...(await against(none, 'none chosen')), ...(await against(all, 'all sent'))], options);
const figures = await measureInTurns(subjectsOf(compared), options);
await Promise.all([off, none, all].map((server) => server.stop()));
collector.close();
const rows = comparisonRows(compared, figures, options);
report('tracing', rows, limitsOf(rows), comparisonCharts('tracing'));
