// How many signatures the server makes: P-256 beside the inline front with a bare signature, RSA-2048 beside a loop of bare signatures on all cores.
import { bareRate } from './bare/bare-loop.ts';
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { json } from './load/kmip-json.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, report } from './report/report.ts';
import { makeRsa, signBy, startKeyServer } from './server/key-server.ts';

const options = parseOptions(process.argv.slice(2));
const { server, inline, p256Id, stop } = await startKeyServer();
const bare: number[] = [];
for (let round = 0; round < options.rounds; round++) bare.push(await bareRate('RSA-2048 signature', options.seconds));
const p256 = json(server.cookie, signBy(p256Id));
const compared = asked(
  [
    {
      subject: { what: 'Sign P-256', target: server, request: p256, connections: [16] },
      limit: { name: 'inline front', subject: { what: 'Sign P-256, inline', target: inline, request: p256, connections: [16] } },
    },
    {
      subject: { what: 'Sign RSA-2048', target: server, request: json(server.cookie, signBy(await makeRsa(server))), connections: [16] },
      limit: { name: 'bare loop', perSecond: median(bare) },
    },
  ] satisfies Compared[],
  options,
);
const figures = await measureInTurns(subjectsOf(compared), options);
await stop();
const rows = comparisonRows(compared, figures, options);
report('sign', rows, limitsOf(rows), comparisonCharts('sign'));
