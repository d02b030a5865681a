// The client of the public HTTP API: typed calls by method and path, lists page by page, and operations of KMIP.
import type { Calls } from './calls.ts';
import { type Members, membersOf, type Node, operation } from './kmip.ts';
import { type Credential, type Fetch, type Given, send } from './request.ts';

export interface ClientOptions {
  /** Of the server: `https://gatehouse.example:8443`. */
  readonly address: string;
  readonly credential?: Credential;
  /** @default the fetch of the platform; another one brings authorities and client certificates of its own */
  readonly fetch?: Fetch;
}

type CallName = keyof Calls;
type Described<N extends CallName> = Calls[N];
type Part<N extends CallName, P extends 'params' | 'query' | 'body' | 'form'> =
  Described<N> extends { [K in P]: infer V } ? { readonly [K in P]: V } : Described<N> extends { [K in P]?: infer V } ? { readonly [K in P]?: V } : unknown;
/** What a call takes: the parameters of its path and of its query, its body or its form. */
export type Taken<N extends CallName> = Part<N, 'params'> & Part<N, 'query'> & Part<N, 'body'> & Part<N, 'form'> & { readonly signal?: AbortSignal };
/** What a call answers. */
export type Answer<N extends CallName> = Described<N>['answer'];
type Rest<T> = Record<never, never> extends T ? [given?: T] : [given: T];

/** Calls whose list comes in pages with the address of the next one in the header Link (RFC 8288). */
type ListName = {
  [N in CallName]: Described<N> extends { query?: infer Q; answer: readonly unknown[] } ? ('after' extends keyof NonNullable<Q> ? N : never) : never;
}[CallName];
type Item<N extends ListName> = Answer<N> extends readonly (infer I)[] ? I : never;
/** Those, and the calls whose list is a member of the answer. */
type PagedName = { [N in CallName]: Described<N> extends { query?: infer Q } ? ('after' extends keyof NonNullable<Q> ? N : never) : never }[CallName];

export class Client {
  readonly #address: string;
  readonly #fetch: Fetch;
  readonly #credential: Credential | undefined;

  constructor({ address, credential, fetch: given }: ClientOptions) {
    this.#address = address.replace(/\/+$/, '');
    this.#fetch = given ?? ((to, init) => fetch(to, init));
    this.#credential = credential;
  }

  /** The same server for another caller. */
  as(credential: Credential | undefined): Client {
    return new Client({ address: this.#address, fetch: this.#fetch, ...(credential && { credential }) });
  }

  /**
   * @param name method and path, as the OpenAPI description has them: `POST /v1/crypto/encrypt`
   * @throws GatehouseError
   */
  async call<N extends CallName>(name: N, ...[given]: Rest<Taken<N>>): Promise<Answer<N>> {
    return (await send(this.#sender(), name, (given ?? {}) as Given)).value as Answer<N>;
  }

  /** The value of the session cookie that `POST /login` sets, beside its answer. A browser hides the cookie from scripts and keeps it itself. */
  async signIn(given: Taken<'POST /login'>): Promise<Answer<'POST /login'> & { readonly cookie: string | undefined }> {
    const { value, headers } = await send(this.#sender(), 'POST /login', given as Given);
    const set = headers.getSetCookie().find((each) => each.startsWith('_ea_='));
    return { ...(value as Answer<'POST /login'>), cookie: set && (/^_ea_=([^;]*)/.exec(set)?.[1] as string) };
  }

  /** Reads a list page by page, and no page before it is needed. */
  async *list<N extends ListName>(name: N, ...[given]: Rest<Taken<N>>): AsyncGenerator<Item<N>> {
    for await (const page of this.pages(name, ...([given] as Rest<Taken<N>>))) yield* page as Item<N>[];
  }

  /** The answers of a list whose next page the header Link names (RFC 8288), and none before it is needed. */
  async *pages<N extends PagedName>(name: N, ...[given]: Rest<Taken<N>>): AsyncGenerator<Answer<N>> {
    let query = { limit: 1_000, ...(given as Given | undefined)?.query } as Given['query'];
    for (;;) {
      const { value, headers } = await send(this.#sender(), name, { ...(given as Given | undefined), query });
      yield value as Answer<N>;
      const next = /<[^>]*[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      if (next === undefined) return;
      query = { ...query, after: decodeURIComponent(next) };
    }
  }

  /**
   * One operation of KMIP 2.1 in JSON.
   * @param members of the request payload
   * @returns the members of the response payload
   */
  async kmip(name: string, members: readonly Node[]): Promise<Members> {
    const { value } = await send(this.#sender(), 'POST /kmip/2_1', { body: operation(name, members) });
    return membersOf((value as Node).value as readonly Node[]);
  }

  #sender() {
    return { address: this.#address, fetch: this.#fetch, credential: this.#credential };
  }
}
