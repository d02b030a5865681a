// KMIP over TLS: binary messages of clients with a certificate, whose common name is the user.
import { Fault, failureText } from '../../kernel/fault.ts';
import type { Caller } from '../../kernel/http/caller/credential.ts';
import type { Listener, Message } from '../../kernel/listener/listener.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import { TYPE } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { KeysContext } from './actors.ts';
import { failureMessage } from './failure.ts';
import { serveMessage } from './header-credentials.ts';
import { MAX_MESSAGE_BYTES } from './kmip-bodies.ts';

/** Every request is one structure; this is the size of its tag, type and length (KMIP 2.1 sections 8.1 and 10.1). */
const HEADER_BYTES = 8;
const REQUEST_MESSAGE = (TAG.RequestMessage << 8) | TYPE.Structure;
/** Bytes at the beginning of a request that hold its version. */
const BEGINNING = 64;

/** @param count counts operations by their outcome */
export function kmipListeners(ctx: KeysContext, count: (outcomes: readonly string[]) => void): readonly Listener[] {
  const { enabled, host, port } = ctx.config.kmip_listener;
  if (!enabled) return [];
  return [
    {
      name: 'KMIP',
      setting: 'keys.kmip_listener',
      host,
      port,
      headerBytes: HEADER_BYTES,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      lengthOf(header) {
        const view = new DataView(header.buffer, header.byteOffset);
        return view.getUint32(0) === REQUEST_MESSAGE ? HEADER_BYTES + view.getUint32(4) : undefined;
      },
      answer: (message) => answer(ctx, count, message),
      refuse: (message, why) => failureMessage(message.subarray(0, BEGINNING), `OVERLOADED: ${why}`, ctx.clock.now()),
    },
  ];
}

async function answer(ctx: KeysContext, count: (outcomes: readonly string[]) => void, { bytes, certificate, address, signal }: Message): Promise<Uint8Array> {
  const beginning = bytes.slice(0, BEGINNING);
  const caller: Caller = { credential: 'certificate', realm: '', username: certificate.commonName, scheme: 'cc' };
  try {
    const kmip = callWith(ctx.actors.kmip, { signal });
    const { body, outcomes } = await serveMessage(ctx, { kmip, bytes, encoding: 'binary', endpoint: 'any' }, { caller, address, signal });
    count(outcomes);
    return body as Uint8Array;
  } catch (error) {
    // The actor answers every message, valid or not. A failure here is the server's: too busy, restarting, out of time.
    if (!(error instanceof Fault) || error.code === 'INTERNAL') ctx.log.error({ error }, 'a KMIP message was not answered');
    return failureMessage(beginning, failureText(error instanceof Fault ? error.code : 'INTERNAL'), ctx.clock.now());
  }
}
