// How a call ends whose actor has a limit of the work alone: by its own work, or because of others before it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Dispatcher } from '../../../kernel/runtime/channel/dispatcher.ts';
import { exposeApi } from '../../../kernel/runtime/channel/facade.ts';
import { WorkLimit } from '../../../kernel/runtime/channel/work-limit.ts';
import { Mailbox } from '../../../kernel/runtime/mailbox/mailbox.ts';
import { remoteOver } from '../../../kernel/runtime/mailbox/remote.ts';
import { outcome } from '../../runtime.ts';
import { channels, movedClock, settle } from './two-ends.ts';

const LIMIT_MS = 100;
const WAIT_MS = 10_000;

type WorkApi = { work(): Promise<void> };

/** An actor whose work never ends. Its thread does not tell its CPU time, so that time on the clock counts. */
async function actor() {
  const { clock, advance } = movedClock();
  const dispatcher = new Dispatcher(new WorkLimit(LIMIT_MS, clock));
  let ended = 0;
  dispatcher.onLate = () => {
    ended += 1;
  };
  const mailbox = new Mailbox([dispatcher], { deadlineMs: WAIT_MS, maxQueue: 10, perDispatcher: 1, clock, observe: () => {} });
  const { ours, theirs } = channels();
  let begun = 0;
  exposeApi(
    {
      work() {
        begun += 1;
        return new Promise(() => {});
      },
    },
    theirs,
  );
  dispatcher.attach(ours);
  await settle();
  const end = async () => {
    dispatcher.detach('the test is over');
    await mailbox.drain(0);
  };
  return { remote: remoteOver<WorkApi>(mailbox), advance, end, told: () => ({ begun, ended }) };
}

test('work that has used its time ends as DEADLINE, and the thread with it', async () => {
  const { remote, advance, end, told } = await actor();
  const call = outcome(remote.work());
  await settle();
  await advance(LIMIT_MS + 1);
  assert.equal(await call, 'DEADLINE');
  assert.deepEqual(told(), { begun: 1, ended: 1 });
  await end();
});

test('a call that has waited for too long behind others ends as OVERLOADED, and ends no thread', async () => {
  const { remote, advance, end, told } = await actor();
  const first = outcome(remote.work());
  const second = outcome(remote.work());
  await settle();
  await advance(WAIT_MS + 1);
  assert.deepEqual([await first, await second], ['DEADLINE', 'OVERLOADED']);
  assert.deepEqual(told(), { begun: 1, ended: 1 });
  await end();
});

test.run();
