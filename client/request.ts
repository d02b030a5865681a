// One request of the client: its address, its credential and its body, and what the answer says.
import { GatehouseError, refusalOf } from './error.ts';

/** `fetch` of Node or of a browser, or one that brings authorities and certificates of its own. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** In a browser leave it out: the cookie of the page goes along by itself. */
export type Credential =
  | { readonly cookie: string }
  | { readonly token: string }
  | { readonly bearer: string }
  | { readonly user: string; readonly password: string };

export interface Given {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form; a Blob is a file. */
  readonly form?: Readonly<Record<string, string | Blob>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Sender {
  readonly address: string;
  readonly fetch: Fetch;
  readonly credential: Credential | undefined;
}

export interface Received {
  readonly value: unknown;
  readonly headers: Headers;
}

/**
 * @param name method and path: `GET /realms/{realm_id}/userpass`
 * @throws GatehouseError for an answer with status 400 or higher, for no answer, for a credential that no header can carry, and for a parameter that cannot stand in a path
 */
export async function send({ address, fetch, credential }: Sender, name: string, given: Given): Promise<Received> {
  const [method, path] = name.split(' ') as [string, string];
  const form = given.form && formOf(given.form);
  const headers = { ...headersOf(credential), ...(given.body === undefined ? {} : { 'content-type': 'application/json' }) };
  const body = form ?? (given.body === undefined ? null : JSON.stringify(given.body));
  const answer = await reach(fetch, `${address}${filled(path, given.params ?? {})}${queryOf(given.query ?? {})}`, {
    method,
    headers,
    body,
    redirect: 'error',
    signal: given.signal ?? null,
  });
  const text = await reading(answer);
  if (answer.status >= 400) throw refusalOf(answer.status, text, answer.headers.get('x-request-id') ?? undefined);
  const isJson = /^application\/json\b/.test(answer.headers.get('content-type') ?? '');
  return { value: isJson ? JSON.parse(text) : text === '' ? undefined : text, headers: answer.headers };
}

async function reach(fetch: Fetch, address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    throw unreachable(error);
  }
}

async function reading(answer: Response): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): GatehouseError {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message;
  return new GatehouseError({ status: 0, code: 'UNREACHABLE', message: `the server cannot be reached: ${reason}`, cause: error });
}

/** RFC 6265, RFC 6750 and RFC 7617. @throws GatehouseError */
function headersOf(credential: Credential | undefined): Record<string, string> {
  if (credential === undefined) return {};
  if ('cookie' in credential) return { cookie: `_ea_=${carried('cookie', credential.cookie)}` };
  if ('token' in credential) return { 'x-app-token': carried('app token', credential.token) };
  if ('bearer' in credential) return { authorization: `Bearer ${carried('bearer token', credential.bearer)}` };
  const { user, password } = credential;
  // What follows it would be the beginning of the password of another user.
  if (user.includes(':')) throw denied('a user name has no colon');
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return { authorization: `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}` };
}

/** `fetch` would name the whole credential in an error, as if the server could not be reached. */
function carried(what: string, value: string): string {
  const text = value.trim();
  if (/^[!-:<-~]*$/.test(text)) return text;
  throw denied(`the ${what} has a character that none can have, such as a line break`);
}

/** As the server would refuse it. */
function denied(message: string): GatehouseError {
  return new GatehouseError({ status: 401, code: 'AUTH_DENIED', message });
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => segment(name, params[name] as string));
}

/** `fetch` resolves `.` and `..` as steps in the path, even if they are escaped: the request would reach another route, and `DELETE /admins/./realms/team` would delete the realm. */
function segment(name: string, value: string): string {
  if (value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value);
  throw new GatehouseError({ status: 404, code: 'NOT_FOUND', message: `${name} cannot be ${value === '' ? 'empty' : value} in a path` });
}

function queryOf(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function formOf(members: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) form.append(name, value);
  return form;
}
