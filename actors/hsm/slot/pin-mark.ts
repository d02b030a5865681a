// Tells a PIN from the one that a token has refused, without keeping either.
import { createHmac, randomBytes } from 'node:crypto';

const key = randomBytes(32);

/** So short that it tells nothing of the PIN. One PIN in 65 536 is taken for the refused one, and not offered. */
export const markOfPin = (pin: string): number => createHmac('sha256', key).update(pin).digest().readUInt16LE();
