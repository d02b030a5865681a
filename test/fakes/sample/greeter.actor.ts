// The sample plugin's actor: counts greetings in the store.

interface Context {
  openStore(): Promise<{
    transaction<T>(
      work: (tx: {
        run(sql: string, params: unknown[]): Promise<number>;
        get(sql: string, params: unknown[]): Promise<{ times: number } | undefined>;
      }) => Promise<T>,
    ): Promise<T>;
    close(): Promise<void>;
  }>;
}

export default async ({ greeting, limit }: { greeting: string; limit: number }, ctx: Context) => {
  const { Fault } = await import('../../../kernel/fault.ts');
  const store = await ctx.openStore();
  return {
    api: {
      async greet(name: string) {
        const times = await store.transaction(async (tx) => {
          await tx.run('INSERT INTO sample_greeting (name, times) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET times = sample_greeting.times + 1', [name]);
          return (await tx.get('SELECT times FROM sample_greeting WHERE name = $1', [name]))?.times ?? 0;
        });
        if (times > limit) throw new Fault('SAMPLE_TOO_OFTEN');
        return `${greeting}, ${name} (${times})`;
      },
    },
    stop: () => store.close(),
  };
};
