// Fetching a key set: which keys are left out, and that the provider of a traced request gets the trace as its parent, and nothing without one.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'uvu';
import { createFetcher } from '../../../actors/identity/fetch.ts';
import { KeySets } from '../../../actors/identity/jwks.ts';
import { verifyJwt } from '../../../actors/identity/verify.ts';
import { callContext } from '../../../kernel/call-context.ts';
import { createClock } from '../../../kernel/clock.ts';
import type { EndedSpan } from '../../../kernel/tracing/span.ts';
import { createTracer } from '../../../kernel/tracing/tracer.ts';
import { startIssuer } from '../../fakes/issuer.ts';

test('the request for a key set names the span that it is; one for nobody names none', async () => {
  const issuer = await startIssuer();
  await issuer.addKey('k1');
  const parents: unknown[] = [];
  issuer.misbehave = (request, response) => {
    parents.push(request.headers['traceparent'], request.headers['tracestate']);
    return issuer.serve(request, response);
  };
  const fetcher = createFetcher(createClock(), '');
  assert.equal((await fetcher.fetch(issuer.uri)).length, 1);
  assert.deepEqual(parents.splice(0), [undefined, undefined]);
  const requestId = randomUUID();
  await callContext.run({ requestId, isTraced: false }, () => fetcher.fetch(issuer.uri));
  assert.deepEqual(parents.splice(0), [undefined, undefined]);
  // Of a trace that is not chosen: the provider is not to send its part either.
  await callContext.run({ requestId, isTraced: true }, () => fetcher.fetch(issuer.uri));
  assert.match(String(parents.shift()), new RegExp(`^00-${requestId.replaceAll('-', '')}-[0-9a-f]{16}-00$`));
  assert.deepEqual(parents.splice(0), [undefined]);
  const spans: EndedSpan[] = [];
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const root = createTracer(1, (span) => spans.push(span)).begin('POST /login', {}, randomUUID(), { traceparent, tracestate: 'vendor=abc' });
  await root.over(() => fetcher.fetch(`${issuer.uri}?token=secret`));
  const [span] = spans;
  assert.deepEqual(parents.splice(0), [`00-0af7651916cd43dd8448eb211c80319c-${span?.spanId}-01`, 'vendor=abc']);
  assert.deepEqual([span?.name, span?.kind, span?.parentId], ['GET', 'client', root.id]);
  const { port } = new URL(issuer.uri);
  assert.deepEqual(span?.attributes, {
    'http.request.method': 'GET',
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    'http.response.status_code': 200,
  });
  issuer.misbehave = (_request, response) => void response.writeHead(500).end('secret');
  await assert.rejects(root.over(() => fetcher.fetch(issuer.uri)));
  const failed = spans.find(({ error }) => error !== undefined);
  assert.deepEqual([failed?.error, failed?.attributes['http.response.status_code']], ['INTERNAL', 500]);
  assert.ok(!JSON.stringify(spans).includes('secret'));
  await fetcher.close();
  await issuer.close();
});

/** What RS256 signs (RFC 8017 section 9.2) for a modulus of 2048 bits: also the signature, where the public exponent is 1. */
function paddedHash(input: string): Buffer {
  const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), createHash('sha256').update(input).digest()]);
  return Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(256 - 3 - info.length, 0xff), Buffer.from([0]), info]);
}

test('an RSA key with an exponent of 0 or 1 verifies nothing: anybody could sign', async () => {
  const issuer = await startIssuer();
  const { kty, n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const served = { keys: [] as unknown[] };
  issuer.misbehave = (_request, response) => void response.end(JSON.stringify(served));
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss: 'i', sub: 'root', exp: Math.floor(Date.now() / 1000) + 300 })}`;
  const request = {
    token: `${input}.${paddedHash(input).toString('base64url')}`,
    algorithms: ['RS256'],
    requireIssuer: true,
    minRefreshSeconds: 60,
    requireKid: true,
  };
  const fetcher = createFetcher(createClock(), '');
  for (const e of ['AQ', 'AAE', 'AA', '']) {
    served.keys = [{ kty, n, e, kid: 'k' }];
    await assert.rejects(fetcher.fetch(issuer.uri), /no public key/, e);
    served.keys.push({ kty, n, e: 'AQAB', kid: 'sound' });
    const keySets = [{ issuer: 'i', jwksUri: issuer.uri, audiences: null }];
    assert.equal((await verifyJwt({ ...request, keySets }, new KeySets(createClock(), fetcher), Date.now())).ok, false, e);
    assert.deepEqual(
      (await fetcher.fetch(issuer.uri)).map(({ kid }) => kid),
      ['sound'],
    );
  }
  await fetcher.close();
  await issuer.close();
});

test.run();
