// Multi-part cryptographic operations: one thread holds what lies between the parts.
import { type ActorContext, defineActor } from '../../kernel/actor.ts';
import { Refusal } from './refusal.ts';
import { STREAM_LIMITS, type StreamApi, type StreamArgs, type StreamOutput, type StreamOwner, type StreamResult, type StreamStart } from './stream-api.ts';
import { StreamTable } from './stream-table.ts';
import { startWork } from './stream-work.ts';

const NOTHING = new Uint8Array();

export default defineActor<StreamApi, StreamArgs>((args, ctx) => {
  const limits = { ...STREAM_LIMITS, ...args };
  const table = new StreamTable(limits, () => ctx.clock.monotonic());
  const sweeping = sweepEvery(ctx, limits.idleMs, table);
  return {
    api: {
      begin: (start, data) => answered(() => begin(table, start, data)),
      update: (owner, value, data) => answered(() => update(table, owner, value, data)),
      finish: (owner, value, data, proof) => answered(() => table.takeOut(owner, value, data.length).work.finish(data, proof)),
      abandon: async (owner, value) => (await answered(() => ended(table, owner, value))).ok,
    },
    stop: sweeping.stop,
  };
});

function begin(table: StreamTable, start: StreamStart, data: Uint8Array): StreamOutput {
  table.makeRoom(start.user);
  table.checkBytes(data.length);
  const work = startWork(start);
  const output = work.update(data);
  return { ok: true, value: table.add(start, work, data.length), data: output, tag: undefined, valid: undefined };
}

function update(table: StreamTable, owner: StreamOwner, value: Uint8Array, data: Uint8Array): StreamOutput {
  const stream = table.takeOut(owner, value, data.length);
  const output = stream.work.update(data);
  table.putBack(value, stream);
  return { ok: true, value, data: output, tag: undefined, valid: undefined };
}

function ended(table: StreamTable, owner: StreamOwner, value: Uint8Array): StreamOutput {
  table.takeOut(owner, value, 0);
  return { ok: true, value: NOTHING, data: NOTHING, tag: undefined, valid: undefined };
}

/** A refusal as a value; everything else is a bug and leaves as one. */
async function answered(work: () => StreamOutput): Promise<StreamResult> {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.reason, message: error.message };
    throw error;
  }
}

/** Idle streams hold keys: they go even if nobody asks for anything again. */
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
