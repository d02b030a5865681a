// Refuses requests that Node's parser accepts although HTTP/1.1 forbids them: a proxy in front of this server could read them differently.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../fault.ts';

const VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.0']);
/** RFC 3986 section 3.2.2, with a port. Several Host lines arrive joined by a comma and a space, which no host has. */
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/;
/** Origin-form or absolute-form; a fragment never leaves its client. The asterisk is for OPTIONS alone. */
const TARGET = /^(?:\/|https?:\/\/)[^#]*$/i;
/** The only expectation of RFC 9110 section 10.1.1. */
const CONTINUE = /^100-continue$/i;

/** @returns the refusal of a request whose version, target, host, transfer coding or expectation is not as RFC 9112 sections 2.3, 3.2 and 6.1 and RFC 3986 section 2.1 say; undefined for a sound one */
export function malformed({ httpVersion, headers, method, url = '' }: IncomingMessage): Fault | undefined {
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (!VERSIONS.has(httpVersion)) return refusal('the version of HTTP must be 1.1 or 1.0');
  if (!TARGET.test(url) && !(url === '*' && method === 'OPTIONS')) return refusal('the target must be a path or an address, without a fragment');
  if (!isDecodable(url)) return refusal('the escapes of the target must be UTF-8');
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return refusal('there must be one Host header, with a host and perhaps a port');
  if (coding !== undefined && httpVersion === '1.0') return refusal('a request of HTTP/1.0 must not have a transfer coding');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return refusal('the transfer coding must be chunked and nothing else');
  if (expect !== undefined && httpVersion === '1.1' && !CONTINUE.test(expect)) return new Fault('EXPECTATION_FAILED');
  return undefined;
}

/** A query would keep other escapes as they stand: who searches for `%E9` would find nothing, and not learn why. */
function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

function refusal(detail: string): Fault {
  return new Fault('BAD_REQUEST', { detail });
}
