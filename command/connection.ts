// The connection of a profile: TLS with its authorities, its pinned certificate and its client certificate.
import type { PeerCertificate } from 'node:tls';
import { Agent, FormData as FormOfFetch, fetch as fetchWith } from 'undici';
import { Client } from '../client/client.ts';
import type { Credential, Fetch } from '../client/request.ts';
import { clientCertificate } from './files.ts';
import type { Profile } from './profile.ts';

/** Passwords cost the server a hash, and models write for a while. */
const TIMEOUT_MS = 600_000;

export interface Connection {
  readonly client: Client;
  close(): Promise<void>;
}

export function connect(profile: Profile, credential: Credential | undefined = credentialOf(profile)): Connection {
  const { ca, fingerprint, cert, key } = profile;
  const agent = new Agent({
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : clientCertificate(cert, key)),
      // The pinned certificate is trusted for itself: who issued it and which names it has do not matter.
      ...(fingerprint === undefined ? {} : { allowPartialTrustChain: true, checkServerIdentity: isPinned(fingerprint) }),
    },
  });
  const fetch: Fetch = (address, init) => {
    const given = { ...init, body: init.body instanceof FormData ? ownForm(init.body) : init.body, dispatcher: agent };
    return fetchWith(address, given as Parameters<typeof fetchWith>[1]) as unknown as Promise<Response>;
  };
  const client = new Client({ address: profile.address, fetch, ...(credential && { credential }) });
  return { client, close: () => agent.destroy() };
}

/** This fetch knows only forms of its own package. */
function ownForm(form: FormData): FormOfFetch {
  const own = new FormOfFetch();
  for (const [name, value] of form as unknown as Iterable<[string, string | File]>) {
    if (typeof value === 'string') own.append(name, value);
    else own.append(name, value, value.name);
  }
  return own;
}

function isPinned(fingerprint: string) {
  return (_host: string, { fingerprint256 }: PeerCertificate) =>
    fingerprint256 === fingerprint ? undefined : new Error(`the server has another certificate than the pinned one: ${fingerprint256}`);
}

/** A client certificate alone is a credential too. */
function credentialOf({ cookie, token }: Profile): Credential | undefined {
  if (cookie !== undefined) return { cookie };
  return token === undefined ? undefined : { token };
}
