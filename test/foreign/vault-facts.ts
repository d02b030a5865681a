// A started server with the roles that clients of Vault and OpenBao sign in with, and the file that tells a tour of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider } from '../identity-provider.ts';
import { signInAdmin, startServer } from '../server.ts';
import type { Outcome } from './client.ts';

/** What the tours read: names as JSON has them. */
interface Facts {
  readonly address: string;
  /** The file of the server's certificate. */
  readonly ca: string;
  /** Needs a secret id. */
  readonly role_id: string;
  /** For any number of uses, and for one. */
  readonly secret_id: string;
  readonly single_secret_id: string;
  /** Needs none. */
  readonly open_role_id: string;
  /** Its tokens live for six seconds, and for sixteen with every renewal. */
  readonly short_role_id: string;
  /** Its tokens cannot be renewed. */
  readonly fixed_role_id: string;
  readonly cluster_role: string;
  readonly jwt: string;
  /** Value of the session cookie of the administrator. */
  readonly admin_session: string;
}

const BOUND = { bound_service_account_names: ['app'], bound_service_account_namespaces: ['prod'] };

/** @param run the tour; it is given the file of the facts */
export async function withVaultFacts(folder: string, run: (file: string) => Promise<Outcome>): Promise<Outcome> {
  const server = await startServer();
  const provider = await startIdentityProvider(() => Date.now(), 'https://cluster.example');
  try {
    const cookie = await signInAdmin(server);
    const write = async (path: string, body: object) => {
      const answer = await server.ask('POST', `/auth${path}`, { cookie, body });
      if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
      return answer.body?.data;
    };
    const role = async (name: string, body: object): Promise<string> => {
      await write(`/approle/role/${name}`, body);
      return (await server.ask('GET', `/auth/approle/role/${name}/role-id`, { cookie })).body.data.role_id;
    };
    const role_id = await role('bound', { token_ttl: 600, token_policies: ['p', 'q'] });
    await write('/cluster/role/pods', { jwks_url: provider.jwksUri, ...BOUND, token_ttl: 600 });
    const facts: Facts = {
      address: server.address,
      ca: join(server.dataDir, 'tls', 'cert.pem'),
      role_id,
      secret_id: (await write('/approle/role/bound/secret-id', {})).secret_id,
      single_secret_id: (await write('/approle/role/bound/secret-id', { num_uses: 1 })).secret_id,
      open_role_id: await role('open', { token_ttl: 600, bind_secret_id: false }),
      short_role_id: await role('short', { token_ttl: 6, token_max_ttl: 16, bind_secret_id: false }),
      fixed_role_id: await role('fixed', { token_ttl: 600, token_renewable: false, bind_secret_id: false }),
      cluster_role: 'pods',
      jwt: await provider.token({ sub: 'system:serviceaccount:prod:app' }),
      admin_session: cookie,
    };
    const file = join(folder, 'facts.json');
    writeFileSync(file, JSON.stringify(facts));
    return await run(file);
  } finally {
    await provider.end();
    await server.end();
  }
}
