// Requests to a model hub: with the token, which no other host gets, and over redirects, as hubs keep large files elsewhere.
import { Agent, type Dispatcher, request } from 'undici';
import { isFetchable } from '../../../kernel/http/outbound.ts';
import { tracedRequest } from '../../../kernel/tracing/outgoing.ts';
import { HubError } from './hub-error.ts';

export interface Hub {
  /** Address without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Dispatcher.ResponseData['body'];
}

const MAX_REDIRECTS = 5;
const IDLE_MS = 30_000;
/** A hub that says nothing for this time is given up. */
const agent = new Agent({ allowH2: false, connect: { timeout: IDLE_MS }, headersTimeout: IDLE_MS, bodyTimeout: IDLE_MS, keepAliveTimeout: 1_000 });

/** @throws HubError for an address that must not be asked */
export async function ask(hub: Hub, address: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  let target = new URL(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isFetchable(target.href) || (hub.url.startsWith('https:') && target.protocol !== 'https:'))
      throw new HubError(`the hub refers to ${target.origin}, which is neither https nor http on this machine`);
    const own = target.origin === new URL(hub.url).origin ? { authorization: `Bearer ${hub.token}` } : {};
    // Compressed answers could not be resumed.
    const sent = { ...headers, ...own, 'accept-encoding': 'identity', 'user-agent': 'gatehouse' };
    const answer = await tracedRequest('GET', target, async (outgoing) => {
      const got = await request(target, { dispatcher: agent, headers: { ...sent, ...outgoing.headers } });
      outgoing.answered(got.statusCode);
      return got;
    });
    const location = answer.headers['location'];
    if (answer.statusCode < 300 || answer.statusCode > 399 || typeof location !== 'string') return answerOf(answer);
    answer.body.on('error', () => {});
    answer.body.destroy();
    if (!URL.canParse(location, target.href)) break;
    target = new URL(location, target.href);
  }
  throw new HubError(`the hub redirects ${new URL(address).pathname} without end`);
}

function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData): Answer {
  body.on('error', () => {});
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body,
  };
}

/** @throws HubError that says what the operator can do about it */
export function refuseStatus(hub: Hub, what: string, status: number): never {
  const { host } = new URL(hub.url);
  if (status === 401 || status === 403)
    throw new HubError(`${host} refuses ${what} (${status}): check [ai] model_hub_token, and whether its owner may read this model`);
  if (status === 404) throw new HubError(`${host} has no ${what}: check the ID and the revision`);
  throw new HubError(`${host} answers ${status} to ${what}; try again later`);
}
