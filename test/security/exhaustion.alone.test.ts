// One misbehaving client beside an honest one, for each attack of the table: the honest one is served in time and loses no connection, and memory comes back.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { until } from '../runtime.ts';
import type { Attack } from './attacks/attack.ts';
import { beHonest, HONEST, prepareHonest } from './honest.ts';
import { type StartedTarget, startTarget, type Target } from './target.ts';

// An attacker has the work that a sign-in costs.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';
/** `ONLY=unread` runs the attacks whose files are named so; `ATTACK_MS` is for trying. */
const ATTACK_MS = Number(process.env['ATTACK_MS'] ?? 8_000);
const WARM_UP_MS = 2_000;
const MAX_P99_MS = 250;
/** Of the server's resident memory over before, bytes: at any moment, and a minute after. */
const MAX_GROWTH = 300e6;
const MAX_LEFT = 150e6;
const RETURN_MS = 60_000;
const MAX_TRIES = 3;
/** Who attacks: one, or as many as an attack needs. */
const ATTACKERS = ['mallory', ...Array.from({ length: 10 }, (_, at) => `mallory${at}`)];
const NO_ATTACKS = new Set(['attack', 'process', 'wire']);

const folder = fileURLToPath(new URL('./attacks/', import.meta.url));
const files = globSync('*.ts', { cwd: folder })
  .filter((file) => !NO_ATTACKS.has(basename(file, '.ts')) && file.includes(process.env['ONLY'] ?? ''))
  .sort();

for (const file of files) {
  const { default: attack } = (await import(`${folder}${file}`)) as { default: Attack };
  test(attack.name, async () => {
    // What another program does on the machine is no fault of the server: it would have to be there each time.
    for (let tries = 1; ; tries++) {
      const target = await startTarget([HONEST, ...ATTACKERS]);
      try {
        return await withstands(target, attack, `${folder}${file}`);
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
      } finally {
        await target.stop();
      }
    }
  });
}

async function withstands(target: StartedTarget, attack: Attack, file: string): Promise<void> {
  const ways = await prepareHonest(target);
  const prepared = await attack.prepare?.(target);
  const honest = await beHonest(target, ways);
  await pause(WARM_UP_MS);
  const quiet = honest.times.splice(0);
  const before = target.rss();
  const attackers = await begin(file, target, prepared);
  let most = before;
  for (const end = performance.now() + ATTACK_MS; performance.now() < end; await pause(100)) most = Math.max(most, target.rss());
  const times = [...honest.times];
  end(attackers);
  const cameBack = await until(() => target.rss() - before < MAX_LEFT, 'memory came back', RETURN_MS).then(
    () => true,
    () => false,
  );
  await honest.stop();
  const told = [
    `p99 ${percentile(times, 0.99)} ms of ${times.length} (quiet: ${percentile(quiet, 0.99)} ms of ${quiet.length})`,
    `${mb(before)} MB before, ${mb(most)} MB at most, ${mb(target.rss())} MB after`,
    `${honest.problems.length} problems ${honest.problems.slice(0, 2).join(', ').slice(0, 500)}`,
  ].join('; ');
  console.log(`${attack.name}: ${told}`);
  assert.equal(honest.problems.length, 0, told);
  assert.ok(times.length > ATTACK_MS / 250 && percentile(times, 0.99) < MAX_P99_MS, told);
  assert.ok(most - before < MAX_GROWTH, told);
  assert.ok(cameBack, told);
}

/** Only the attackers' own certificates, and no session, go to their process. */
async function begin(file: string, { address, listenerPort, ca, cookie, clients }: Target, prepared: unknown): Promise<ChildProcess> {
  const { [HONEST]: _honest, ...own } = clients;
  const target: Target = { address, listenerPort, ca, cookie, clients: own };
  const child = fork(`${folder}process.ts`, [], { execArgv: ['--disable-warning=ExperimentalWarning'], serialization: 'advanced' });
  process.on('exit', () => child.kill('SIGKILL'));
  child.send({ file, target, prepared });
  await once(child, 'message');
  return child;
}

function end(child: ChildProcess): void {
  assert.equal(child.exitCode, null, 'the attack ended by itself: it did not attack');
  child.kill('SIGKILL');
}

function percentile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
}

const mb = (bytes: number) => Math.round(bytes / 1e6);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.run();
