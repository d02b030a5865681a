// Drives wrk, a load generator in C that costs far less than the server it measures, with a script that sends one request and prints exact results.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpRequest } from './http-request.ts';

export interface Drive {
  /** `https://host:port` */
  readonly address: string;
  readonly request: HttpRequest;
  readonly connections: number;
  readonly seconds: number;
  /** Where it runs, as taskset takes them; default: where this process does. */
  readonly cores?: string;
}

export interface Driven {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const hasWrk: boolean = spawnSync('wrk', ['-v']).error === undefined;

/** wrk takes whole seconds only. It is ended early for shorter turns, and then prints what it has measured. */
export async function driveWrk({ address, request, connections, seconds, cores }: Drive): Promise<Driven> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-wrk-'));
  try {
    const script = join(folder, 'request.lua');
    writeFileSync(script, luaOf(request));
    const flags = ['-t1', `-c${connections}`, `-d${Math.ceil(seconds)}s`, '--timeout', '30s', '-s', script];
    const [program = '', ...args] = [...(cores === undefined ? [] : ['taskset', '--cpu-list', cores]), 'wrk', ...flags, `${address}${request.path}`];
    const wrk = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const early = Number.isInteger(seconds) ? undefined : setTimeout(() => wrk.kill('SIGINT'), seconds * 1_000);
    let text = '';
    for await (const part of wrk.stdout) text += part;
    clearTimeout(early);
    return resultOf(text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function luaOf({ method, headers, body }: HttpRequest): string {
  return [
    `wrk.method = ${quoted(method)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`),
    ...(body ? [`wrk.body = ${quoted(body)}`] : []),
    'done = function(summary, latency)',
    '  local e = summary.errors',
    '  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))',
    'end',
    '',
  ].join('\n');
}

/** A string of Lua for any bytes. */
function quoted(value: string | Uint8Array): string {
  return `"${[...Buffer.from(value)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}

/** @throws Error if a request failed: its time says nothing */
export function resultOf(text: string): Driven {
  const found = /^RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(text);
  if (!found) throw new Error(`wrk printed no result: ${text}`);
  const [requests, durationUs, p50Us, p99Us, refused, broken] = found.slice(1).map(Number) as [number, number, number, number, number, number];
  if (refused > 0 || broken > 0) throw new Error(`of ${requests} requests ${refused} were refused and ${broken} ended without an answer`);
  return { requests, perSecond: requests / (durationUs / 1e6), p50Ms: p50Us / 1_000, p99Ms: p99Us / 1_000 };
}
