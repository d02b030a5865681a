// A path that exists answers every method that it does not take with 405 and Allow: those that the parser knows, and those that nobody knows.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import { Agent, request } from 'node:https';
import { test } from 'uvu';
import { filled, type RoutedServer, startRoutedServer } from './route-table.ts';

const KERNELS = ['/openapi.yaml', '/health', '/ready', '/metrics', '/version'];
const UNKNOWN = ['FOO', 'GETS', 'X-1'];

let server: RoutedServer;
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
test.before(async () => {
  server = await startRoutedServer();
});
test.after(async () => {
  agent.destroy();
  await server?.end();
});

function ask(method: string, path: string): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { hostname, port } = new URL(server.address);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('each is 405 with the methods that the path takes', async () => {
  const taken = new Map<string, Set<string>>(KERNELS.map((path) => [path, new Set(['GET', 'HEAD'])]));
  for (const { method, path } of server.routes) {
    const methods = taken.get(path) ?? taken.set(path, new Set()).get(path);
    methods?.add(method);
    if (method === 'GET') methods?.add('HEAD');
  }
  assert.ok(taken.size > 70);
  const wrong: string[] = [];
  for (const [path, methods] of taken) {
    const address = filled(path, () => 'some');
    for (const method of [...METHODS.filter((each) => each !== 'CONNECT'), ...UNKNOWN]) {
      if (methods.has(method)) continue;
      const { status, headers, text } = await ask(method, address);
      const allowed = String(headers.allow).split(', ').sort().join();
      if (status !== 405 || allowed !== [...methods].sort().join()) wrong.push(`${method} ${path}: ${status} ${headers.allow}`);
      else if (method !== 'HEAD')
        assert.ok(
          JSON.parse(text).code === 'METHOD_NOT_ALLOWED' || (path.startsWith('/v1/') && JSON.parse(text).errors.length === 1),
          `${method} ${path}: ${text}`,
        );
    }
  }
  assert.deepEqual(wrong, []);
});

test('where there is no such path they are 404', async () => {
  for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', ...UNKNOWN]) {
    for (const path of ['/nowhere', '/realms/a%20b/userpass']) assert.equal((await ask(method, path)).status, 404, `${method} ${path}`);
  }
});

test('what is no request is 400, as before', async () => {
  for (const path of ['/%zz', '/realms/%ff/userpass']) assert.equal((await ask('TRACE', path)).status, 400, path);
});

test.run();
