// A request to another server as a step of the request that it is for. The server gets the trace as its parent.
import { inSpan } from './span.ts';
import { unchosenHeaders } from './unchosen.ts';

export interface Outgoing {
  /** To send with the request; empty where nothing is traced. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status of the answer. */
  answered(status: number): void;
}

const NOTHING: Outgoing = Object.freeze({ headers: Object.freeze({}), answered: () => {} });

/** @param address of which only host and port are told @param work lasts until the answer is read */
export function tracedRequest<T>(method: string, address: string | URL, work: (outgoing: Outgoing) => Promise<T>): Promise<T> {
  return inSpan(method, 'client', { 'http.request.method': method }, (span) => {
    if (!span) {
      const headers = unchosenHeaders();
      return work(headers ? { ...NOTHING, headers } : NOTHING);
    }
    const { hostname, port, protocol } = new URL(address);
    span.set({ 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) });
    return work({ headers: span.headers, answered: (status) => span.set({ 'http.response.status_code': status }) });
  });
}
