// Computes and verifies message authentication codes: POST /v1/crypto/mac (RFC 7518 section 3.2).
import { USE } from '../object/life/usage.ts';
import type { OperationContext } from '../operation-context.ts';
import { base64url } from './base64url.ts';
import { findSecretKey } from './find-key.ts';
import { requireMacKey } from './fitting-key.ts';
import { type Members, octets, optionalOctets, text } from './members.ts';
import { macAlgorithm } from './named-algorithm.ts';
import { takeKey } from './use.ts';

/** Verifies the `mac` of the body, or computes one if the body has none. @throws Problem, Refusal */
export async function mac(body: Members, ctx: OperationContext): Promise<unknown> {
  const kid = text(body, 'kid');
  const alg = macAlgorithm(text(body, 'alg'), 'body');
  const data = octets(body, 'data');
  const given = optionalOctets(body, 'mac');
  const use = given === undefined ? USE.MAC : USE.MACVerify;
  const object = await findSecretKey(ctx, kid, use.operation, 'both');
  const key = await takeKey(ctx, object, use, data.length, (each) => requireMacKey(each, alg.algorithm, alg.length));
  const input = { parameters: { cryptographicAlgorithm: alg.algorithm }, data };
  if (given !== undefined) return { kid: object.id, valid: await key.verifyMac(input, given) };
  const made = await key.mac(input);
  return { kid: object.id, mac: base64url(made) };
}
