// Compares /whoami, token lookups and role logins with an empty route of the same server.
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from './comparison.ts';
import { get, type HttpRequest, post } from './load/http-request.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { report } from './report/report.ts';
import { EMPTY_GET, WITH_EMPTY } from './server/key-server.ts';
import { startServerProcess } from './server/server-process.ts';

const options = parseOptions(process.argv.slice(2));
const server = await startServerProcess(WITH_EMPTY, 4);
const { cookie } = server;
const role = await makeRole();
const connections = [16, 64];
const empty = { what: 'empty GET', target: server, request: EMPTY_GET, connections };
const against = (what: string, request: HttpRequest): Compared => ({
  subject: { what, target: server, request, connections },
  limit: { name: 'empty route', subject: empty },
});
const compared = asked(
  [
    { subject: empty },
    against('/whoami', get('/whoami', { cookie })),
    against('token lookup', get('/auth/token/lookup-self', { 'x-app-token': role.token })),
    against('role login', post('/auth/approle/login', { 'content-type': 'application/json' }, JSON.stringify(role.credentials))),
  ],
  options,
);
const figures = await measureInTurns(subjectsOf(compared), options);
await server.stop();
const rows = comparisonRows(compared, figures, options);
report('auth', rows, limitsOf(rows), comparisonCharts('auth'));

/** Creates a role whose secret ID has no limit of uses, and a token of that role. */
async function makeRole(): Promise<{ credentials: unknown; token: string }> {
  const headers = { cookie, 'content-type': 'application/json' };
  const answered = async (request: HttpRequest) => {
    const text = await server.ask(request);
    return text === '' ? undefined : JSON.parse(text);
  };
  await answered(post('/auth/approle/role/bench', headers, JSON.stringify({ token_ttl: 3_600 })));
  const { role_id } = (await answered(get('/auth/approle/role/bench/role-id', { cookie }))).data;
  const { secret_id } = (await answered(post('/auth/approle/role/bench/secret-id', headers, JSON.stringify({ ttl: 0, num_uses: 0 })))).data;
  const credentials = { role_id, secret_id };
  return {
    credentials,
    token: (await answered(post('/auth/approle/login', { 'content-type': 'application/json' }, JSON.stringify(credentials)))).auth.client_token,
  };
}
