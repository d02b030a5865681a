// A request that a load generator sends again and again.

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

export function get(path: string, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return { method: 'GET', path, headers };
}

export function post(path: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array): HttpRequest {
  return { method: 'POST', path, headers, body: Buffer.from(body) };
}

/** The bytes of HTTP/1.1. */
export function bytesOf({ method, path, headers, body }: HttpRequest, host: string): Buffer {
  const all = { host, ...headers, ...(body && { 'content-length': String(body.length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body ?? Buffer.alloc(0)]);
}
