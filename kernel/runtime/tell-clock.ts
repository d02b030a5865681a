// Tells a thread or process that a test has moved the clock.
import type { Incarnation } from './channel/incarnation.ts';

/** Settles when the thread or process has fired the timers that are due, or is lost. @param offset of all clocks in milliseconds */
export async function tellClock({ channel, lost }: Incarnation, offset: number): Promise<void> {
  let unlisten = () => {};
  const moved = new Promise<void>((resolve) => {
    unlisten = channel.onControl(({ kind }) => {
      if (kind === 'moved') resolve();
    });
  });
  channel.control({ kind: 'clock', offset: offset });
  await Promise.race([moved, lost]);
  unlisten();
}
