// Shows how far a download is: a bar that moves on a terminal, a line for each file elsewhere.
import type { PullProgress } from './pull.ts';

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const BAR = 24;
/** Of a bar that moves. */
const EVERY_MS = 100;

/** @param now in milliseconds @returns what is called with every progress */
export function progressOn(output: Output, now: () => number): (progress: PullProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ path, bytes, totalBytes, isDone }) => {
    if (!output.isTTY) {
      if (isDone) output.write(`${path}: ${amount(bytes)} of ${amount(totalBytes)} in all\n`);
      return;
    }
    const isLast = isDone && bytes === totalBytes;
    if (!isLast && now() - last < EVERY_MS) return;
    last = now();
    const share = totalBytes === 0 ? 1 : bytes / totalBytes;
    const full = Math.floor(share * BAR);
    const line = `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${String(Math.floor(share * 100)).padStart(3)} % ${amount(bytes)} of ${amount(totalBytes)}  ${path}`;
    output.write(`\r\u001b[2K${line.slice(0, (output.columns ?? 80) - 1)}${isLast ? '\n' : ''}`);
  };
}

export function amount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
