// An actor that says how many of its calls ran at once at most.
import { setTimeout as wait } from 'node:timers/promises';

const WORK_MS = 150;

export default () => {
  let running = 0;
  let most = 0;
  return {
    api: {
      async work() {
        running += 1;
        most = Math.max(most, running);
        await wait(WORK_MS);
        running -= 1;
        return most;
      },
    },
  };
};
