// Tells systemd how the server is (sd_notify(3)): that it is ready, that it stops, and at intervals that its main thread turns and requests are served.
import { execFile } from 'node:child_process';
import { fstatSync } from 'node:fs';
import type { Clock } from '../clock.ts';

export interface ServiceManager {
  /** @param isServing asked before each sign of life: without one for long enough, systemd starts the server again */
  ready(isServing: () => boolean): void;
  /** Settles when systemd knows, or cannot be told. */
  stopping(): Promise<void>;
}

/**
 * Node cannot send to a datagram socket of the file system, so systemd's own program does: some 20 ms of CPU each time. It waits until the message was
 * received, so that systemd still finds out to which service the sender belongs.
 */
const SENDER = '/usr/bin/systemd-notify';
/** A sender that takes longer is ended, so that none pile up. */
const SENDER_MS = 5_000;
const OWN = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const;
const SILENT: ServiceManager = { ready() {}, async stopping() {} };

/**
 * Does nothing unless systemd started the server and wants to be told.
 * @param env loses systemd's variables, so that no other process sends in the name of the server
 */
export function serviceManager(env: NodeJS.ProcessEnv, clock: Clock, onFailure: (error: Error) => void, pid = process.pid): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched = String(pid) } = env;
  for (const name of OWN) delete env[name];
  if (socket === undefined) return SILENT;
  const send = (message: string) =>
    new Promise<void>((resolve) => {
      execFile(SENDER, [message], { env: { NOTIFY_SOCKET: socket }, timeout: SENDER_MS }, (error) => {
        if (error) onFailure(error);
        resolve();
      });
    });
  const isWatched = watched === String(pid) && Number(usec) > 0;
  let stopWatchdog = () => {};
  let told = Promise.resolve();
  return {
    ready(isServing) {
      told = send('READY=1');
      // A start may take its time; systemd begins to watch when the server is ready.
      if (isWatched) stopWatchdog = repeatedly(clock, Number(usec) / 1000 / 3, () => void (isServing() && send('WATCHDOG=1')));
    },
    async stopping() {
      stopWatchdog();
      // Each message has a sender of its own: without the wait, READY could arrive after STOPPING.
      await told;
      await send('STOPPING=1');
    },
  };
}

function repeatedly(clock: Clock, ms: number, run: () => void): () => void {
  const again = () => {
    run();
    timer = clock.setTimeout(again, ms);
  };
  let timer = clock.setTimeout(again, ms);
  return () => clock.clearTimeout(timer);
}

/** Whether standard output goes to the journal, which keeps what is written there: systemd.exec(5), JOURNAL_STREAM. */
export function isJournal(env: NodeJS.ProcessEnv): boolean {
  const { dev, ino } = fstatSync(1, { bigint: true });
  return env['JOURNAL_STREAM'] === `${dev}:${ino}`;
}
