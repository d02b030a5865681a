// The process that attacks: its work is not on the clock of the honest client. Takes one attack by message and ends with its parent.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';

const stop = new AbortController();
// Connections that the server closes are what is expected, wherever the attack is at that moment.
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
