// Multi-part cryptographic operations: one thread holds their state between the parts.
import { startSelfTest } from '../../crypto/self-test/self-test.ts';
import { type ActorContext, defineActor } from '../../kernel/actor.ts';
import { moveLarge } from '../../kernel/runtime/channel/bytes.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { STREAM_LIMITS, type StreamApi, type StreamArgs, type StreamOutput, type StreamOwner, type StreamResult, type StreamStart } from './api.ts';
import { StreamTable } from './table.ts';
import { startWork } from './work.ts';

const NOTHING = new Uint8Array();

export default defineActor<StreamApi, StreamArgs>((args, ctx) => {
  const limits = { ...STREAM_LIMITS, ...args };
  const table = new StreamTable(limits, () => ctx.clock.monotonic());
  const sweeping = sweepEvery(ctx, limits.idleMs, table);
  startSelfTest(ctx, { isOn: args.selfTests, more: args.knownAnswers });
  return {
    api: {
      begin: (start, data) => toResult(() => begin(table, start, data)),
      update: (owner, value, data) => toResult(() => update(table, owner, value, data)),
      finish: (owner, value, data, proof) => toResult(() => finish(table, owner, value, data, proof)),
      abandon: async (owner, value) => (await toResult(() => endStream(table, owner, value))).ok,
    },
    stop: sweeping.stop,
  };
});

function begin(table: StreamTable, start: StreamStart, data: Uint8Array): StreamOutput {
  table.makeRoom(start);
  const stream = table.fresh(start, startWork(start));
  table.count(stream, data.length);
  const output = stream.work.update(data);
  return { ok: true, value: table.add(stream), data: output, tag: undefined, valid: undefined };
}

function update(table: StreamTable, owner: StreamOwner, value: Uint8Array, data: Uint8Array): StreamOutput {
  const stream = table.takeOut(owner, value);
  table.count(stream, data.length);
  const output = stream.work.update(data);
  table.put(value, stream);
  return { ok: true, value, data: output, tag: undefined, valid: undefined };
}

function finish(table: StreamTable, owner: StreamOwner, value: Uint8Array, data: Uint8Array, proof: Uint8Array | undefined): StreamOutput {
  const stream = table.takeOut(owner, value, true);
  table.count(stream, data.length);
  return stream.work.finish(data, proof);
}

function endStream(table: StreamTable, owner: StreamOwner, value: Uint8Array): StreamOutput {
  table.takeOut(owner, value);
  return { ok: true, value: NOTHING, data: NOTHING, tag: undefined, valid: undefined };
}

/** A refusal as a value; everything else is a bug and leaves as one. */
async function toResult(work: () => StreamOutput): Promise<StreamResult> {
  try {
    const output = work();
    return { ...output, data: moveLarge(output.data) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { ok: false, reason: refusal.reason, message: refusal.message };
  }
}

/** Ends idle streams even if no further call comes, because they hold keys. */
function sweepEvery(ctx: ActorContext, idleMs: number, table: StreamTable): { stop(): void } {
  const arm = () =>
    ctx.clock.setTimeout(() => {
      table.sweep();
      ctx.report({ ready: true, detail: { streams: table.size } });
      timer = arm();
    }, idleMs / 4);
  let timer = arm();
  return { stop: () => ctx.clock.clearTimeout(timer) };
}
