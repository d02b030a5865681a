// The identity actor and key set servers: how often it asks, whatever it is sent, and what it believes of their answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import { b64, certificate, issuerWith, newIssuer, now, refusal, runtime, source, stop, verify } from '../fakes/identity.ts';
import { until } from '../runtime.ts';

test.before(() => runtime.start());
test.after(stop);

test('unknown key ids in a loop cause one fetch in a minute, and a rotated key is found by the next', async () => {
  const issuer = await issuerWith('ES256');
  await issuer.addKey('next', 'ES256', false);
  const flood = async () => {
    const token = await issuer.sign('ES256', { sub: 'x' });
    const tokens = Array.from({ length: 200 }, (_, index) => `${b64({ alg: 'ES256', kid: `unknown ${index}` })}.${token.split('.').slice(1).join('.')}`);
    const outcomes = await Promise.all(tokens.map((each) => verify(each, [source(issuer)])));
    assert.ok(outcomes.every(({ ok }) => !ok));
  };
  await flood();
  await flood();
  assert.equal(issuer.fetches, 1);
  await runtime.advance(60_000);
  await flood();
  assert.equal(issuer.fetches, 2);
  issuer.removeKey('ES256');
  await issuer.addKey('rotated', 'ES256');
  assert.equal((await verify(await issuer.sign('rotated', {}), [source(issuer)])).ok, false);
  await runtime.advance(60_000);
  assert.equal((await verify(await issuer.sign('rotated', {}), [source(issuer)])).ok, true);
  assert.equal(issuer.fetches, 3);
});

test('however short the interval, one fetch serves all who wait for it', async () => {
  const issuer = await issuerWith('ES256');
  const answers: (() => void)[] = [];
  issuer.misbehave = (_request, response) => {
    issuer.misbehave = undefined;
    answers.push(() => void response.writeHead(500).end());
  };
  const token = await issuer.sign('ES256', { sub: 'x' });
  const waiting = Array.from({ length: 20 }, () => verify(token, [source(issuer)], { minRefreshSeconds: 0 }));
  await until(() => answers.length === 1, 'the server was asked');
  answers[0]?.();
  assert.ok((await Promise.all(waiting)).every(({ ok }) => !ok));
  assert.equal(issuer.fetches, 1);
  assert.equal((await verify(token, [source(issuer)], { minRefreshSeconds: 0 })).ok, true);
  assert.equal(issuer.fetches, 2);
});

test('a failed refresh keeps the set that was there; a withdrawn key ends with its age', async () => {
  const issuer = await issuerWith('ES256', 'ES384');
  const good = () => issuer.sign('ES256', { sub: 'x' });
  assert.equal((await verify(await good(), [source(issuer)])).ok, true);
  await issuer.close();
  await runtime.advance(700_000);
  assert.equal((await verify(await good(), [source(issuer)])).ok, true);
  await issuer.listen();
  issuer.misbehave = (_request, response) => void response.end('{"keys":[]}');
  await runtime.advance(61_000);
  assert.equal((await verify(await good(), [source(issuer)])).ok, true);
  issuer.misbehave = undefined;
  const withdrawn = await good();
  issuer.removeKey('ES256');
  await runtime.advance(61_000);
  assert.equal((await verify(withdrawn, [source(issuer)])).ok, false);
});

test('a first fetch that fails is not repeated before its time, and recovers by itself', async () => {
  const issuer = await issuerWith('ES256');
  await issuer.close();
  const token = await issuer.sign('ES256', { sub: 'x', exp: now() + 3_600 });
  assert.match(await refusal(verify(token, [source(issuer)])), /^key set not available: ECONNREFUSED/);
  await issuer.listen();
  assert.match(await refusal(verify(token, [source(issuer)])), /^key set not available/);
  assert.equal(issuer.fetches, 0);
  await runtime.advance(60_000);
  assert.equal((await verify(token, [source(issuer)])).ok, true);
});

const MISBEHAVIOUR: Readonly<Record<string, { run: (response: ServerResponse, elsewhere: string) => void; reason: RegExp }>> = {
  'redirects to a good key set': { run: (response, elsewhere) => void response.writeHead(302, { location: elsewhere }).end(), reason: /answered 302/ },
  'answers 500': { run: (response) => void response.writeHead(500).end('{"keys":[]}'), reason: /answered 500/ },
  'sends text': { run: (response) => void response.end('<html>'), reason: /not JSON/ },
  'sends bytes that are no UTF-8': { run: (response) => void response.end(Buffer.from([0x22, 0xff, 0x22])), reason: /not JSON/ },
  'sends another document': { run: (response) => void response.end('{"keys":{}}'), reason: /not a key set/ },
  'sends null': { run: (response) => void response.end('null'), reason: /not a key set/ },
  'sends keys that are none': { run: (response) => void response.end('{"keys":[null,1,{},{"kty":"oct","k":"AA"}]}'), reason: /no public key/ },
  'sends a thousand keys': { run: (response) => void response.end(JSON.stringify({ keys: Array(1_000).fill({ kty: 'EC' }) })), reason: /more than 256/ },
  'breaks off': {
    run: (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"keys":[');
      setImmediate(() => response.destroy());
    },
    reason: /key set not available/,
  },
};

for (const [what, { run, reason }] of Object.entries(MISBEHAVIOUR)) {
  test(`a server that ${what} is refused`, async () => {
    const [issuer, elsewhere] = [await issuerWith('ES256'), await issuerWith('ES256')];
    issuer.misbehave = (_request, response) => run(response, elsewhere.uri);
    assert.match(await refusal(verify(await issuer.sign('ES256', {}), [source(issuer)])), reason);
    assert.equal(elsewhere.fetches, 0);
  });
}

test('a server that sends 100 MB is cut off after one', async () => {
  const issuer = await issuerWith('ES256');
  let sent = 0;
  let cut = false;
  issuer.misbehave = (_request, response) => {
    const chunk = Buffer.alloc(65_536, 0x20);
    const more = () => {
      while (!response.destroyed && sent < 100_000_000) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      if (!response.destroyed) response.end();
    };
    response.on('close', () => {
      cut = true;
    });
    more();
  };
  assert.match(await refusal(verify(await issuer.sign('ES256', {}), [source(issuer)])), /larger than 1048576 bytes/);
  await until(() => cut, 'the connection is closed');
  assert.ok(sent < 50_000_000, `${sent} bytes were sent`);
});

for (const [what, run] of Object.entries({
  'says nothing': () => {},
  'never ends its body': (response: ServerResponse) => void response.writeHead(200).write('{"keys":['),
})) {
  test(`a server that ${what} is given five seconds, and holds nobody else`, async () => {
    const [issuer, other] = [await issuerWith('ES256'), await issuerWith('ES256')];
    issuer.misbehave = (_request, response) => run(response);
    const token = await issuer.sign('ES256', { exp: now() + 3_600 });
    const waiting = Promise.all([verify(token, [source(issuer)]), verify(token, [source(issuer)])]);
    await until(() => issuer.fetches === 1, 'the server was asked');
    assert.equal((await verify(await other.sign('ES256', {}), [source(other)])).ok, true);
    await runtime.advance(5_000);
    for (const outcome of await waiting) assert.match(outcome.ok ? '' : outcome.reason, /the answer was not complete within 5000 ms/);
    assert.equal(issuer.fetches, 1);
    issuer.misbehave = undefined;
    await runtime.advance(60_000);
    assert.equal((await verify(token, [source(issuer)])).ok, true);
  });
}

test('only https, or http on this machine, is fetched; a configured private authority is trusted', async () => {
  const issuer = await issuerWith('ES256');
  const token = await issuer.sign('ES256', { exp: now() + 3_600 });
  for (const jwksUri of [
    'http://192.0.2.1/jwks',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'data:application/json,{}',
    'https://user:secret@127.0.0.1/',
    'nonsense',
  ]) {
    assert.match(await refusal(verify(token, [{ issuer: null, jwksUri, audiences: null }])), /must be https, or http on the same machine/, jwksUri);
  }
  const tls = { cert: readFileSync(certificate.cert, 'utf8'), key: readFileSync(certificate.key, 'utf8') };
  const secure = await newIssuer({ tls });
  await secure.addKey('k');
  const signed = await secure.sign('k', { sub: 'x' });
  assert.equal((await verify(signed, [source(secure)])).ok, true);
  assert.match(await refusal(verify(signed, [source(secure)], {}, 'trustless')), /key set not available: .*(SELF_SIGNED|UNABLE_TO)/);
});

test.run();
