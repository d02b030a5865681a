// Streams served in the test's own thread by the real actor.
import { openStreams, type Streams } from '../../actors/kmip/streams.ts';
import type { StreamApi, StreamArgs } from '../../actors/stream/api.ts';
import streamActor from '../../actors/stream/stream.actor.ts';
import type { ActorContext, Api } from '../../kernel/actor.ts';

/** @param time milliseconds that the test moves */
export async function streamsHere(limits: StreamArgs = {}, time: () => number = () => 0): Promise<Streams> {
  const clock = { now: time, monotonic: time, setTimeout: () => undefined, clearTimeout() {} };
  const { api } = await streamActor(limits, { clock } as unknown as ActorContext);
  return openStreams({ keys: () => ['0'], about: () => undefined, at: () => api as StreamApi & Api });
}
