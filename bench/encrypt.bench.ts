// How much of what one thread for each core can do does the server make of it: Encrypt in JSON, in binary, by REST, and ten in a message.
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { binary, json } from './load/kmip-json.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { report } from './report/report.ts';
import { encryptBy, restEncrypt, startKeyServer } from './server/key-server.ts';

const options = parseOptions(process.argv.slice(2));
const { server, inline, aesId, stop } = await startKeyServer();
const encrypt = encryptBy(aesId);
const requests = {
  'Encrypt, JSON': json(server.cookie, encrypt),
  'Encrypt, binary': binary(server.cookie, encrypt),
  'encrypt, REST': await restEncrypt(server),
  'ten Encrypts, binary': binary(server.cookie, ...Array.from({ length: 10 }, () => encrypt)),
};
const all = Object.entries(requests).map(([what, request]): Compared => {
  const own = what.startsWith('ten') ? { connections: [16] } : {};
  const limit = { name: 'inline front', subject: { what: `${what}, inline`, target: inline, request, ...own } };
  return { subject: { what, target: server, request, ...own }, limit, ...(what.startsWith('ten') && { operations: 10 }) };
});
const compared = asked(all, options);
const figures = await measureInTurns(subjectsOf(compared), options);
await stop();
const rows = comparisonRows(compared, figures, options);
report('encrypt', rows, limitsOf(rows), comparisonCharts('encrypt'));
