// The part of the probe actor that lives beside its callers: it answers some calls, leaves others, and fails in one.
import { threadId } from 'node:worker_threads';
import { defineBeside, ELSEWHERE, WRITTEN_ELSEWHERE } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ProbeApi, ProbeArgs } from './probe.actor.ts';

export default defineBeside<ProbeApi, ProbeArgs>(({ prefix, broken }, ctx) => {
  if (broken) throw new Error('cannot start');
  return {
    api: {
      echo(text) {
        if (text.startsWith('left')) throw ELSEWHERE;
        return `beside:${prefix ?? ''}${text}`;
      },
      where: () => ({ key: 'beside', thread: threadId, pid: process.pid }),
      threadFor(kind) {
        throw kind === 'writes' ? WRITTEN_ELSEWHERE : ELSEWHERE;
      },
      requestId: ctx.requestId,
      ask: (peer, key, text) => ctx.peer<ProbeApi>(peer).at(key).echo(text),
      askSlow: (peer, key) => ctx.peer<ProbeApi>(peer).at(key).sleep(60_000),
      bytes(input) {
        input.fill(7);
        return input;
      },
      deny() {
        throw new Fault('FORBIDDEN');
      },
      bug() {
        throw new Error('a bug beside');
      },
    },
  };
});
