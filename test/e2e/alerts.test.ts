// The alert rules as Prometheus understands them: each fires on what it is for, and is silent on what is ordinary; promtool computes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { temporaryFolder } from '../server.ts';
import { skipWithout } from '../system.ts';
import { root } from './started.ts';

const RULES = join(root, 'setups/monitoring/alerts.yml');
const WHERE = 'instance="one",job="gatehouse"';

/** Series of half an hour, a sample each minute, as promtool writes them: `0+30x30` begins with 0 and grows by 30. */
interface Case {
  readonly fires: Readonly<Record<string, string>>;
  readonly isSilent: Readonly<Record<string, string>>;
}

const REQUESTS = 'gatehouse_http_request_duration_seconds';
const slow = (quick: string) => {
  const upTo = (le: string) => `${REQUESTS}_bucket{${WHERE},le="${le}"}`;
  return { [upTo('1')]: quick, [upTo('2.5')]: '0+1000x30', [upTo('+Inf')]: '0+1000x30' };
};
const failing = (each: string) => ({ [`${REQUESTS}_count{${WHERE},status="200"}`]: '0+1000x30', [`${REQUESTS}_count{${WHERE},status="500"}`]: each });
const one = (metric: string, fires: string, isSilent: string, labels = '') => {
  const series = `${metric}{${WHERE}${labels}}`;
  return { fires: { [series]: fires }, isSilent: { [series]: isSilent } };
};

const CASES: Readonly<Record<string, Case>> = {
  GatehouseDown: one('up', '0x30', '1x30'),
  GatehouseKeyServerSealed: one('gatehouse_key_server_sealed', '1x30', '0x30'),
  GatehouseAlgorithmSwitchedOff: one('gatehouse_self_test_off', '1x30', '0x30', ',algorithm="AES"'),
  GatehouseActorRestarts: one('gatehouse_actor_restarts_total', '0+1x30', '0 0 0 1x27', ',actor="kmip"'),
  GatehouseFrontRestarts: one('gatehouse_front_restarts_total', '0+1x30', '0 0 0 1x27'),
  GatehouseServerErrors: { fires: failing('0+20x30'), isSilent: failing('0+5x30') },
  GatehouseSlow: { fires: slow('0+980x30'), isSilent: slow('0+999x30') },
  GatehouseActorQueue: one('gatehouse_actor_queue_depth', '200x30', '50x30', ',actor="kmip"'),
  GatehouseHsmErrors: one('gatehouse_hsm_operations_total', '0+60x30', '0+1x30', ',outcome="CKR_DEVICE_ERROR",exported_instance="soft"'),
  GatehouseSignInsRefused: one('gatehouse_logins_total', '0+600x30', '0+60x30', ',outcome="Refused"'),
  GatehouseCacheDistrusted: one('gatehouse_cache_trusted', '0x30', '1x30'),
  GatehouseTlsEnds: one('gatehouse_tls_end_timestamp_seconds', '600000x30', '700000x30', ',file="cert"'),
  GatehouseTracesLost: one('gatehouse_trace_spans_total', '0+6x30', '7x30', ',outcome="dropped"'),
};

const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true }));

/** @returns the names of the alerts that promtool says fire after half an hour of these series */
function firing(series: Readonly<Record<string, string>>): readonly string[] {
  const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  // Every alert is expected silent: promtool names those that are not. JSON is YAML too.
  const alert_rule_test = Object.keys(CASES).map((alertname) => ({ eval_time: '30m', alertname, exp_alerts: [] }));
  const file = join(folder, 'rules.test.yml');
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [{ interval: '1m', input_series, alert_rule_test }] }));
  const { stdout, stderr, error } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8', timeout: 60_000 });
  if (error) throw error;
  assert.match(stdout + stderr, /SUCCESS|FAILED/);
  return [...new Set([...(stdout + stderr).matchAll(/alertname: (\w+)/g)].map(([, name]) => name as string))];
}

if (!skipWithout('prometheus')) {
  test('Prometheus reads the rules, and each has a case here', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`${Object.keys(CASES).length} rules found`));
    const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    assert.deepEqual(names, Object.keys(CASES));
  });

  for (const [name, { fires, isSilent }] of Object.entries(CASES))
    test(`${name} fires on what it is for, alone, and not on what is ordinary`, () => {
      assert.deepEqual(firing(fires), [name]);
      assert.deepEqual(firing(isSilent), []);
    });
}

test.run();
