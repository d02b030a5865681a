// Stands for a kmip thread: calls the stream actor over its own channel and tells what came of it.
import { openStreams } from '../../actors/kmip/streams.ts';
import type { StreamApi, StreamOwner, StreamStart } from '../../actors/stream/api.ts';
import { defineActor } from '../../kernel/actor.ts';
import { Refusal } from '../../kmip/refusal.ts';

/** The data of an answer with its correlation value, or the reason of a refusal. */
export type Told = { readonly data: Uint8Array; readonly value: Uint8Array; readonly tag: Uint8Array | undefined } | { readonly refused: string };

export type StreamCallerApi = {
  begin(start: StreamStart, data: Uint8Array): Promise<Told>;
  update(owner: StreamOwner, value: Uint8Array, data: Uint8Array): Promise<Told>;
  finish(owner: StreamOwner, value: Uint8Array, data: Uint8Array): Promise<Told>;
  abandon(owner: StreamOwner, value: Uint8Array): Promise<boolean>;
};

export default defineActor<StreamCallerApi, null>((_, ctx) => {
  const streams = openStreams(ctx.peer<StreamApi>('streams'));
  const told = async (work: ReturnType<typeof streams.begin>): Promise<Told> => {
    try {
      const { data, value, tag } = await work;
      return { data: new Uint8Array(data), value: new Uint8Array(value), tag: tag && new Uint8Array(tag) };
    } catch (error) {
      if (error instanceof Refusal) return { refused: error.reason };
      throw error;
    }
  };
  return {
    api: {
      begin: (start, data) => told(streams.begin(start, data)),
      update: (owner, value, data) => told(streams.update(owner, value, data)),
      finish: (owner, value, data) => told(streams.finish(owner, value, data, undefined)),
      abandon: (owner, value) => streams.abandon(owner, value),
    },
  };
});
