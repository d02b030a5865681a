// The part of the probe actor that lives beside its callers: it answers some calls, leaves others, and fails in one.
import { threadId } from 'node:worker_threads';
import { defineBeside, ELSEWHERE, WRITTEN_ELSEWHERE } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ProbeApi, ProbeArgs } from './probe.actor.ts';

export default defineBeside<ProbeApi, ProbeArgs>(({ prefix, broken }, { requestId }) => {
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
      requestId,
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
