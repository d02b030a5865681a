// The process of the attacker, separate so that its work does not slow the honest client. It gets one attack by message and ends with its parent.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';

const stop = new AbortController();
// Errors of connections that the server closes are expected at any point of the attack.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code === undefined) throw error;
});
process.on('disconnect', () => process.exit(0));
process.once('message', ({ file, target, prepared }: { file: string; target: Target; prepared: never }) => {
  void start(file, target, prepared);
});

async function start(file: string, target: Target, prepared: never): Promise<void> {
  const { default: attack } = (await import(file)) as { default: Attack };
  process.once('message', () => {
    stop.abort();
    process.exit(0);
  });
  process.send?.('started');
  await attack.run(target, stop.signal, prepared);
}
