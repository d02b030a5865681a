// Generates a load of HTTPS requests with little CPU time: sends prepared bytes on keep-alive connections and finds the end of answers by Content-Length.
import { connect, type TLSSocket } from 'node:tls';

export interface LoadOptions {
  readonly address: string;
  readonly ca: string;
  /** Client certificate and its key. */
  readonly client?: { readonly cert: string; readonly key: string };
  readonly connections: number;
  readonly ms: number;
  /** Ends earlier, after so many requests. */
  readonly count?: number;
  /** @returns head and body of the next request */
  next(): string | Uint8Array;
  /** Status that every answer must have. */
  readonly status: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Durations of all requests in milliseconds. */
  readonly times: readonly number[];
}

/** @returns the text of a request @param body sent as JSON */
export function requestText(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): string {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
  };
  return `${method} ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${payload}`;
}

export async function load(options: LoadOptions): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(options)));
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(sockets.map((socket) => drive(socket, options, startedAt + options.ms, times)));
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);
  return { perSecond, times };
}

function open({ address, ca, client }: LoadOptions): Promise<TLSSocket> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca, ...client }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Sends one request after the other until the end of the time. A server that gets another front ends each connection with an answer that says so: it is made anew. */
async function drive(first: TLSSocket, options: LoadOptions, until: number, times: number[]): Promise<void> {
  for (let socket = first; (await driveOne(socket, options, until, times)) === 'ended'; ) socket = await open(options);
}

function driveOne(
  socket: TLSSocket,
  { next, status, count = Number.POSITIVE_INFINITY }: LoadOptions,
  until: number,
  times: number[],
): Promise<'done' | 'ended'> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let received = '';
    const leave = (why: 'done' | 'ended') => {
      resolve(why);
      socket.destroy();
    };
    const send = () => {
      sentAt = performance.now();
      if (sentAt >= until || times.length >= count) return leave('done');
      socket.write(next());
    };
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /content-length: (\d+)/i.exec(received)?.[1] ?? '0';
      if (received.length < end + 4 + Number(length)) return;
      if (received.slice(9, 12) !== String(status)) return reject(new Error(`answered ${received}`));
      times.push(performance.now() - sentAt);
      const isLast = /\r\nconnection: close\r\n/i.test(received.slice(0, end + 2));
      received = '';
      if (isLast) leave('ended');
      else send();
    });
    socket.on('close', () => reject(new Error('the server closed a connection')));
    send();
  });
}
