// How quickly objects are read: Get and GetAttributes beside a front that only answers, and a search for one of thousands by name.
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { json } from './load/kmip-json.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { report } from './report/report.ts';
import { EMPTY_GET, getAttributesBy, getBy, makeNamed, startKeyServer } from './server/key-server.ts';

const OBJECTS = 2_000;

const options = parseOptions(process.argv.slice(2));
const { server, inline, aesId, stop } = await startKeyServer();
const read = (what: string, request: ReturnType<typeof json>): Compared => ({
  subject: { what, target: server, request },
  limit: { name: 'inline front', subject: { what: `${what}, inline`, target: inline, request } },
});
const compared = asked(
  [
    read('Get', json(server.cookie, getBy(aesId))),
    read('GetAttributes', json(server.cookie, getAttributesBy(aesId))),
    {
      subject: { what: 'Locate', target: server, request: await makeNamed(server, OBJECTS), connections: [16] },
      limit: { name: 'empty route', subject: { what: 'empty GET', target: server, request: EMPTY_GET, connections: [16] } },
    },
  ],
  options,
);
const figures = await measureInTurns(subjectsOf(compared), options);
await stop();
const rows = comparisonRows(compared, figures, options);
report('read', rows, limitsOf(rows), comparisonCharts('read'));
