// Where the front spends its time for each hot operation: a flame graph for each, and the part of each layer.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drive } from './load/generator.ts';
import { get, type HttpRequest, post } from './load/http-request.ts';
import { binary, json } from './load/kmip-json.ts';
import { parseOptions } from './options.ts';
import { type CpuProfile, framesOf, layersOf } from './report/cpu-profile.ts';
import { flameOf } from './report/flame-chart.ts';
import { progress, report, round } from './report/report.ts';
import { AES, EMPTY_GET, encryptBy, getAttributesBy, getBy, makeRsa, restEncrypt, signBy, startKeyServer, WITH_PROFILE } from './server/key-server.ts';

const options = parseOptions(process.argv.slice(2));
const { server, aesId, p256Id, stop } = await startKeyServer(WITH_PROFILE);
const { cookie } = server;
const requests: Readonly<Record<string, HttpRequest>> = {
  'empty GET': EMPTY_GET,
  '/whoami': get('/whoami', { cookie }),
  'Encrypt, JSON': json(cookie, encryptBy(aesId)),
  'Encrypt, binary': binary(cookie, encryptBy(aesId)),
  'encrypt, REST': await restEncrypt(server),
  Get: json(cookie, getBy(aesId)),
  GetAttributes: json(cookie, getAttributesBy(aesId)),
  'Create AES': json(cookie, AES),
  'Sign P-256': json(cookie, signBy(p256Id)),
  'Sign RSA-2048': json(cookie, signBy(await makeRsa(server))),
};
const CONNECTIONS = 16;
const rows = [];
mkdirSync(options.results, { recursive: true });
for (const [what, request] of Object.entries(requests)) {
  if (options.only !== undefined && !what.toLowerCase().includes(options.only.toLowerCase())) continue;
  const driven = () => drive({ ...server, request, connections: CONNECTIONS, seconds: options.seconds });
  // Compiled first.
  await driven();
  const profiled = server.ask(post('/profile', { 'content-type': 'application/octet-stream' }, String(options.seconds * 800)));
  await driven();
  const frames = framesOf(JSON.parse(await profiled) as CpuProfile);
  const file = `flame-${what
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}.svg`;
  writeFileSync(join(options.results, file), flameOf(what, frames));
  const parts = [...layersOf(frames)].filter(([, part]) => part >= 0.001).map(([layer, part]) => [`${layer} %`, round(part * 100)]);
  rows.push({ what, connections: CONNECTIONS, ...Object.fromEntries(parts) });
  progress(file);
}
await stop();
report('flame', rows, []);
