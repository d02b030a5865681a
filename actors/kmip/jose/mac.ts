// Makes and checks message authentication codes: POST /v1/crypto/mac (RFC 7518 section 3.2).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { USE } from '../object/usage.ts';
import type { OperationContext } from '../operation-context.ts';
import { findSecretKey } from './find-key.ts';
import { macKey } from './fitting-key.ts';
import { macAlgorithm } from './mac-algorithm.ts';
import { type Members, octets, optionalOctets, text } from './members.ts';
import { requireAndSpend } from './use.ts';

/** With `mac` in the body it is checked, without one it is made. @throws Problem, Refusal */
export async function mac(body: Members, ctx: OperationContext): Promise<unknown> {
  const kid = text(body, 'kid');
  const alg = macAlgorithm(text(body, 'alg'));
  const data = octets(body, 'data');
  const given = optionalOctets(body, 'mac');
  const use = given === undefined ? USE.MAC : USE.MACVerify;
  const object = await findSecretKey(ctx, kid, use.operation, 'both');
  await requireAndSpend(ctx, object, use, data.length);
  const made = createHmac(alg.hash, macKey(object, alg.algorithm, alg.length))
    .update(data)
    .digest();
  if (given === undefined) return { kid: object.id, mac: made.toString('base64url') };
  return { kid: object.id, valid: given.length === made.length && timingSafeEqual(given, made) };
}
