// A connection to the KMIP listener of a node that is opened again when it is lost: one message at a time, and its answer.
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { decodeBinary } from '../kmip/ttlv/binary.ts';
import { encodeJson } from '../kmip/ttlv/json.ts';
import { kmipMessage } from '../test/security/attacks/wire.ts';
import type { ClientCertificate } from './caller.ts';
import { type Kmip, type KmipAnswer, membersOf } from './kmip.ts';
import type { Node } from './node.ts';
import type { Tally } from './tally.ts';

/** Their code begins the message of a failed item: the outcome is unknown, or nothing happened. */
const SAYS_NOTHING = /^(OVERLOADED|UNAVAILABLE|KEY_SERVER_SEALED|STOPPING|ACTOR_LOST|DEADLINE|CANCELLED):/;
const PATIENCE_MS = 25_000;
const HEAD_BYTES = 8;

interface Item {
  readonly tag: string;
  readonly value: unknown;
}

export class ListenerConnection {
  readonly #open: () => TLSSocket;
  readonly #tally: Tally;
  #socket: TLSSocket | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(node: Node, ca: string, { cert, key }: ClientCertificate, tally: Tally) {
    this.#open = () => connect({ host: '127.0.0.1', port: node.kmipPort, ca, cert, key });
    this.#tally = tally;
  }

  get kmip(): Kmip {
    return (operation, payload) => {
      const mine = this.#last.then(async () => {
        const begin = performance.now();
        const bytes = await this.#exchange(kmipMessage(operation, ...payload));
        const answer = bytes && this.#read(operation, bytes);
        this.#tally.count(`${operation}, binary on the listener`, answer !== undefined, performance.now() - begin);
        return answer;
      });
      this.#last = mine.catch(() => undefined);
      return mine;
    };
  }

  close(): void {
    this.#socket?.destroy();
  }

  #read(operation: string, bytes: Buffer): KmipAnswer | undefined {
    const { value } = JSON.parse(Buffer.from(encodeJson(decodeBinary(bytes))).toString()) as { value: readonly Item[] };
    const item = membersOf(value.find(({ tag }) => tag === 'BatchItem')?.value);
    if (item['ResultStatus'] === 'Success') return { ok: true, reason: '', members: membersOf(item['ResponsePayload'] ?? []) };
    const message = String(item['ResultMessage'] ?? '');
    if (SAYS_NOTHING.test(message)) return undefined;
    if (message === 'internal error') this.#tally.wrong('no answer is an internal error', `${operation} on the listener`);
    return message === 'internal error' ? undefined : { ok: false, reason: `${item['ResultReason']}: ${message}`, members: {} };
  }

  /** @returns undefined if the connection was lost, or could not be opened, or is silent */
  #exchange(message: Uint8Array): Promise<Buffer | undefined> {
    if (!this.#socket || this.#socket.destroyed) this.#socket = this.#open();
    const socket = this.#socket;
    return new Promise((resolve) => {
      let received = Buffer.alloc(0);
      const end = (answer: Buffer | undefined) => {
        clearTimeout(timer);
        socket.removeAllListeners();
        socket.on('error', () => {});
        if (!answer) socket.destroy();
        resolve(answer);
      };
      const timer = setTimeout(end, PATIENCE_MS, undefined);
      socket.on('error', () => end(undefined)).on('close', () => end(undefined));
      socket.on('data', (data: Buffer) => {
        received = Buffer.concat([received, data]);
        if (received.length >= HEAD_BYTES && received.length >= HEAD_BYTES + received.readUInt32BE(4)) end(received);
      });
      socket.write(message);
    });
  }
}
