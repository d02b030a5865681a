// Downloads one file of a hub and goes on where an earlier attempt broke off, if the hub can do that (RFC 9110 section 14).
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hashOf } from '../manifest.ts';
import { HubError, throwUnwritable } from './hub-error.ts';
import type { HubFile } from './listing.ts';
import { type Answer, ask, type Hub, refuseStatus } from './request.ts';

/** In a row, without a byte more. */
const MAX_FAILURES = 3;
/** Before the next attempt, by the failures in a row; milliseconds. A hub that is started again, or a network that changes, takes seconds. */
const PAUSES_MS = [1_000, 5_000];

export interface Download {
  readonly hub: Hub;
  readonly address: string;
  readonly file: HubFile;
  /** Path here; what is there already is kept. */
  readonly to: string;
  /** @param ms before the next attempt; for tests */
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
  /** @param bytes of the file that are here now */
  onProgress(bytes: number): void;
}

/** @returns the SHA-256 of the file @throws HubError */
export async function download(given: Download): Promise<string> {
  const { file, to, pause = delay } = given;
  for (let failures = 0; ; ) {
    const had = await sizeHere(to);
    if (had >= file.bytes && (await exists(to))) break;
    try {
      await attempt(given, had);
    } catch (error) {
      if (error instanceof HubError) throw error;
      // Another attempt would meet it again.
      throwUnwritable(error, to);
      failures = (await sizeHere(to)) > had ? 0 : failures + 1;
      if (failures >= MAX_FAILURES)
        throw new HubError(`the download of ${file.path} broke off ${failures} times (${(error as Error).message}); run the command again to go on`, error);
      if (failures > 0) await pause(PAUSES_MS[failures - 1] as number);
    }
  }
  const sha256 = await hashOf(to);
  const { size } = await stat(to);
  if (size === file.bytes && (file.sha256 === undefined || file.sha256 === sha256)) return sha256;
  await truncate(to);
  throw new HubError(`${file.path} is not what the hub announced (${size} of ${file.bytes} bytes, SHA-256 ${sha256}); it was deleted: run the command again`);
}

async function attempt({ hub, address, file, to, onProgress }: Download, had: number): Promise<void> {
  const answer = await ask(hub, address, had > 0 ? { range: `bytes=${had}-` } : {});
  const start = await startOf(answer, had, hub, file.path);
  const handle = await open(to, start === 0 ? 'w' : 'a', 0o600);
  let here = start;
  try {
    for await (const chunk of answer.body) {
      here += (chunk as Buffer).length;
      if (here > file.bytes) throw new HubError(`the hub sends more than the ${file.bytes} bytes of ${file.path} that it announced`);
      await handle.writeFile(chunk as Buffer);
      onProgress(here);
    }
    if (here < file.bytes) throw new Error(`${here} of ${file.bytes} bytes arrived`);
    await handle.sync();
  } finally {
    answer.body.destroy();
    await handle.close();
  }
}

/** @returns where the answer begins: a hub that knows no ranges sends all again */
async function startOf({ status, header, body }: Answer, had: number, hub: Hub, path: string): Promise<number> {
  if (status === 200) return 0;
  if (status === 206 && header('content-range')?.startsWith(`bytes ${had}-`)) return had;
  body.destroy();
  if (status === 206 || status === 416) throw new HubError(`the hub answers with another part of ${path} than it was asked for; remove the partial download`);
  // It may recover, so it counts as a broken download.
  if (status >= 500) throw new Error(`the hub answers ${status}`);
  return refuseStatus(hub, path, status);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function sizeHere(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function truncate(path: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  await handle.close();
}
