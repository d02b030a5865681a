// Signs and verifies: POST /v1/crypto/sign and /verify take the parts of a JWS with a detached payload (RFC 7515 section 5, appendix F).
import type { SignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import { USE } from '../object/life/usage.ts';
import type { OperationContext } from '../operation-context.ts';
import { base64url } from './base64url.ts';
import { findPublicKey, findSigningKey } from './find-key.ts';
import { requireSignature, unfit } from './fitting-key.ts';
import { type Members, octets, text } from './members.ts';
import { signatureAlgorithm } from './named-algorithm.ts';
import { plainHeader, receivedHeader } from './protected-header.ts';
import { isKeyOf, isSigned, signing } from './signing.ts';
import { type Fits, takeKey } from './use.ts';

/** @throws Problem, Refusal */
export async function sign(body: Members, ctx: OperationContext): Promise<unknown> {
  const kid = text(body, 'kid');
  const alg = signatureAlgorithm(text(body, 'alg'), 'body');
  const data = octets(body, 'data');
  const object = await findSigningKey(ctx, kid);
  const key = await takeKey(ctx, object, USE.Sign, data.length, fits(alg, ctx));
  const header = plainHeader(object, alg.name);
  const signature = await key.sign({ ...signing(alg), data: signingInput(header.encoded, body) });
  return { protected: header.encoded, signature: base64url(signature) };
}

/** @throws Problem, Refusal */
export async function verify(body: Members, ctx: OperationContext): Promise<unknown> {
  const header = receivedHeader(body, 'header');
  const alg = signatureAlgorithm(header.alg, 'header');
  octets(body, 'data');
  const signature = octets(body, 'signature');
  const object = await findPublicKey(ctx, header.kid, 'SignatureVerify');
  const key = await takeKey(ctx, object, USE.SignatureVerify, 0, fits(alg, ctx));
  return { kid: header.kid, valid: await isSigned(alg, key, signingInput(header.encoded, body), signature) };
}

function fits(alg: SignatureAlgorithm, ctx: OperationContext): Fits {
  return (key, object) => {
    if (!isKeyOf(alg, key)) throw unfit();
    requireSignature(object, alg, ctx);
  };
}

/** `data` was already checked to be base64url, so it is used as it is. */
const signingInput = (encodedHeader: string, body: Members): Uint8Array => Buffer.from(`${encodedHeader}.${text(body, 'data')}`, 'latin1');
