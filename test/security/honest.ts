// An honest client beside an attack: its own identity and connections, asks again when it has its answer, and counts what is kept from it.
import type { TLSSocket } from 'node:tls';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { people } from '../people.ts';
import { answerOf, dial, getMessage, idIn, kmipMessage, requestBytes, tell } from './attacks/wire.ts';
import type { StartedTarget, Target } from './target.ts';

export interface Honest {
  /** Milliseconds of each request so far, and what went wrong. */
  readonly times: number[];
  readonly problems: string[];
  stop(): Promise<void>;
}

/** Common name of its certificate. */
export const HONEST = 'honest';
/** It asks as a person or a service does, not as fast as it can. */
const THINK_MS = 20;

/** A user of a realm of its own, and a key. @returns the session, and what a KMIP client asks in turn */
export async function prepareHonest(target: StartedTarget): Promise<{ cookie: string; messages: Uint8Array[] }> {
  const they = people({ ask: target.ask } as never, target.cookie);
  await they.realm('r');
  await they.user('r', 'ann', 'anns password');
  const cookie = await they.session('r', 'ann', 'anns password');
  const attributes = structure(TAG.Attributes, [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 256),
    integer(TAG.CryptographicUsageMask, 12),
  ]);
  const id = idIn(await tell(target, HONEST, kmipMessage('Create', enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), attributes)));
  await tell(target, HONEST, kmipMessage('Activate', text(TAG.UniqueIdentifier, id)));
  const gcm = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
  const encrypt = kmipMessage('Encrypt', text(TAG.UniqueIdentifier, id), gcm, bytes(TAG.Data, new Uint8Array(64)));
  return { cookie, messages: [encrypt, getMessage(id)] };
}

/** Begins to ask, on one connection of each front. */
export async function beHonest(target: Target, { cookie, messages }: { cookie: string; messages: readonly Uint8Array[] }): Promise<Honest> {
  const times: number[] = [];
  const problems: string[] = [];
  let isOver = false;
  const whoami = requestBytes('GET', '/whoami', { cookie: `_ea_=${cookie}` });
  const loop = async (socket: () => TLSSocket, name: string, ask: (at: number) => Promise<string | undefined>) => {
    for (let at = 0; !isOver; at += 1) {
      const startedAt = performance.now();
      try {
        const refusal = await ask(at);
        if (refusal !== undefined) problems.push(`${name} was refused: ${refusal}`);
      } catch (error) {
        if (!isOver) problems.push(`${name}: ${(error as Error).message}`);
        return;
      }
      times.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, THINK_MS));
    }
    socket().destroy();
  };
  const own = { client: HONEST, localAddress: '127.0.0.1' };
  const dialHttps = () => dial(target, { localAddress: '127.0.0.1' });
  let https = await dialHttps();
  const kmip = await dial(target, { ...own, listener: true });
  const loops = [
    loop(
      () => https,
      '/whoami',
      async () => {
        https.write(whoami);
        const answer = await answered(https);
        // A server that has started a further front asks its clients to connect anew, so that both get some.
        if (/^connection: close\r$/im.test(answer)) https = await dialHttps();
        return answer.startsWith('HTTP/1.1 200') ? undefined : answer;
      },
    ),
    loop(
      () => kmip,
      'KMIP',
      async (at) => {
        kmip.write(messages[at % messages.length] as Uint8Array);
        const answer = await answerOf(kmip);
        return isSuccess(answer) ? undefined : answer.toString('latin1').replaceAll(/[^ -~]+/g, ' ');
      },
    ),
  ];
  return {
    times,
    problems,
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

/** One answer of HTTP, which comes in one piece or some. */
async function answered(socket: TLSSocket): Promise<string> {
  let received = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).toString('latin1');
    const end = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (end !== -1 && received.length >= end + 4 + length) return received;
  }
  throw new Error('the connection was closed');
}

/** ResultStatus is Success. */
function isSuccess(answer: Buffer): boolean {
  return answer.includes(Buffer.from('42007f050000000400000000', 'hex'));
}
