// An actor for tests that writes a row, names its counter, reads what it may cache by, and ends in native code.
import { defineActor } from '../../kernel/actor.ts';

export type WriterApi = {
  /** Settles after the commit of a row that everybody caches under this counter. */
  write(counter: string): Promise<void>;
  writeAll(): Promise<void>;
  /** What a cached row is compared by. */
  version(counter: string): number | undefined;
  pid(): number;
  env(): readonly string[];
  abort(): void;
};

export default defineActor<WriterApi, null>(async (_, ctx) => {
  const store = await ctx.openStore();
  const insert = 'INSERT INTO written (name) VALUES ($1)';
  return {
    api: {
      write: (counter) =>
        store.transaction(async (tx) => {
          await tx.run(insert, [counter]);
          tx.touch(counter);
        }),
      writeAll: () =>
        store.transaction(async (tx) => {
          await tx.run(insert, ['all']);
          tx.touchAll();
        }),
      version: (counter) => ctx.versions?.read(counter),
      pid: () => process.pid,
      env: () => Object.keys(process.env),
      abort: () => process.abort(),
    },
    stop: () => store.close(),
  };
});
