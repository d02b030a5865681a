// Reads what a tour prints: `ok STEP` or `FAIL STEP: what came`, a line each, and `end` when it got there.
import type { Outcome } from './client.ts';
import { type Output, outputOf } from './program.ts';

const TELLING_CHARS = 2000;
/** Loopback is asked directly, and nothing of the person who runs this is read: tokens, configuration, addresses. */
const ALONE = {
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
  VAULT_ADDR: '',
  BAO_ADDR: '',
  VAULT_TOKEN: '',
  BAO_TOKEN: '',
  VAULT_NAMESPACE: '',
  BAO_NAMESPACE: '',
};

/** @param folder the program's home and working directory */
export async function tour(command: string, args: readonly string[], folder: string): Promise<Outcome> {
  return outcomeOf(await outputOf(command, args, { cwd: folder, env: { ...ALONE, HOME: folder } }));
}

export function outcomeOf({ status, stdout, stderr }: Output): Outcome {
  const lines = stdout.split('\n').map((line) => line.trim());
  const problems = lines.filter((line) => line.startsWith('FAIL ')).map((line) => line.slice('FAIL '.length));
  const ended = status === 0 && lines.includes('end');
  const why = `it ended early, status ${status}: ${(stderr.trim() || stdout.trim()).slice(-TELLING_CHARS)}`;
  return { passed: lines.filter((line) => line.startsWith('ok ')).length, problems: ended ? problems : [...problems, why] };
}
