// The algorithms that have failed their self-test in this thread: none of them is used any more.
import { CryptoError } from './crypto-error.ts';

const off = new Set<string>();
const caches: (() => void)[] = [];

/** @param algorithm as the known answers name it, such as `AES-GCM` @throws CryptoError switched_off */
export function requireOn(algorithm: string): void {
  if (off.size > 0 && off.has(algorithm)) throw new CryptoError('switched_off', `${algorithm} is switched off: its self-test has failed`);
}

/** For the rest of this thread's life: what computes wrongly once cannot be trusted because it computes rightly later. */
export function switchOff(algorithm: string): void {
  off.add(algorithm);
  for (const forget of caches) forget();
}

/** For caches of what has been permitted before. */
export function onSwitchOff(forget: () => void): void {
  caches.push(forget);
}
