// A model hub on loopback: lists and serves files in the layout of the public one, large ones from a second address, and can misbehave.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubRequest {
  readonly port: number;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

export interface ModelHub {
  readonly url: string;
  /** Where large files lie, as on a content network. */
  readonly elsewhere: string;
  readonly requests: HubRequest[];
  /** Answers of this file break off after so many bytes, when they have been `read`, as often as `times` says. */
  breakAt: { readonly path: string; readonly bytes: number; times: number; read?(): Promise<void> } | undefined;
  knowsRanges: boolean;
  /** Replaces what is served of a file, but not what is announced. */
  readonly spoiled: Map<string, Uint8Array>;
  /** More names of files that the hub lists. */
  readonly listed: string[];
  /** Of each of these. */
  listedBytes: number;
  /** The list of files breaks off. */
  breaksList: boolean;
  end(): Promise<void>;
}

export const COMMIT = 'c0ffee'.repeat(7).slice(0, 40);
const LARGE_BYTES = 4_096;

/** @param models files by ID and path */
export async function startModelHub(token: string, models: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>): Promise<ModelHub> {
  const hub: Omit<ModelHub, 'url' | 'elsewhere' | 'end'> = {
    requests: [],
    breakAt: undefined,
    knowsRanges: true,
    spoiled: new Map(),
    listed: [],
    listedBytes: 1,
    breaksList: false,
  };
  const note = (request: IncomingMessage) => {
    const { authorization, range } = request.headers;
    hub.requests.push({ port: request.socket.localPort as number, path: request.url as string, authorization, range });
  };
  const find = (path: string) => {
    const [, id = '', file = ''] = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(path) ?? [];
    const bytes = models.get(id)?.get(file);
    return bytes && { file, bytes: hub.spoiled.get(file) ?? bytes };
  };
  const send = (request: IncomingMessage, response: ServerResponse, { file, bytes }: { file: string; bytes: Uint8Array }) => {
    const from = hub.knowsRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    const part = bytes.subarray(from);
    const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': part.length, ...(from > 0 && range) });
    const { breakAt } = hub;
    if (breakAt?.path !== file || breakAt.times === 0) return response.end(part);
    breakAt.times--;
    return response.write(part.subarray(0, breakAt.bytes), () => void Promise.resolve(breakAt.read?.()).then(() => response.socket?.end()));
  };
  const elsewhere = createServer((request, response) => {
    note(request);
    const found = find(request.url as string);
    return found ? send(request, response, found) : response.writeHead(404).end();
  });
  const far = await listen(elsewhere);
  const server = createServer((request, response) => {
    note(request);
    const path = request.url as string;
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end();
    const listed = models.get(/^\/api\/models\/([^/]+\/[^/]+)\/revision\/[^/?]+\?blobs=true$/.exec(path)?.[1] ?? '');
    if (listed) {
      const body = JSON.stringify(listing(listed, hub));
      response.setHeader('content-type', 'application/json').setHeader('content-length', body.length);
      return hub.breaksList ? response.write(body.slice(0, 50), () => response.socket?.end()) : response.end(body);
    }
    const found = find(path);
    if (!found) return response.writeHead(404).end();
    return found.bytes.length >= LARGE_BYTES ? response.writeHead(302, { location: `${far}${path}` }).end() : send(request, response, found);
  });
  return Object.assign(hub, {
    url: await listen(server),
    elsewhere: far,
    end: async () => {
      for (const each of [server, elsewhere]) await new Promise((resolve) => each.close(resolve).closeAllConnections());
    },
  });
}

/** As the public hub answers: the digest of large files only. */
function listing(files: ReadonlyMap<string, Uint8Array>, { listed, listedBytes }: Pick<ModelHub, 'listed' | 'listedBytes'>): object {
  const siblings = [...files].map(([rfilename, bytes]) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { rfilename, size: bytes.length, ...(bytes.length >= LARGE_BYTES && { lfs: { sha256, size: bytes.length, pointerSize: 130 } }) };
  });
  return { sha: COMMIT, siblings: [...siblings, ...listed.map((rfilename) => ({ rfilename, size: listedBytes }))] };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
