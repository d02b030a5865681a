// The operation of the server: what is not ready, its actors with their restarts, the rates and latencies of requests as charts, and the configuration.
import { html } from '/console/lib/lit-html.js';
import { get } from './api.js';
import { Chart, loadChartStyle } from './chart.js';
import { configuration } from './configuration.js';
import { follow, followJson, textOf } from './live.js';
import { Rate, samplesIn, shortNumber, sumOf } from './measurements.js';
import { badge, head, table } from './shown.js';

const STATUS = '/operations/status';
const METRICS = '/operations/metrics';
const REQUESTS = 'gatehouse_http_request_duration_seconds';
const LOOKS = /** @type {Readonly<Record<string, string>>} */ ({ running: 'good', resting: 'plain', failed: 'bad' });

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  loadChartStyle();
  const chart = (/** @type {string} */ label) => ({ chart: new Chart(label, stage.signal), now: /** @type {number | undefined} */ (undefined) });
  const figures = { requests: chart('requests/s'), latency: chart('ms'), errors: chart('errors/s'), memory: chart('MiB') };
  const rates = { requests: new Rate(), seconds: new Rate(), errors: new Rate() };
  // The configuration changes with a restart only.
  const [{ settings }, first, text] = await Promise.all([get('/operations/config'), get(STATUS), textOf(METRICS)]);
  let status = first;
  let samples = samplesIn(text);
  const show = () => draw(stage, status, samples, figures, settings);
  show();
  void followJson(stage, STATUS, (now) => {
    status = now;
    show();
  });
  void follow(stage, METRICS, (now) => {
    samples = samplesIn(now);
    measure(figures, rates, samples);
    show();
  });
}

/** @param {Figures} figures @param {Readonly<Record<'requests' | 'seconds' | 'errors', Rate>>} rates @param {ReturnType<typeof samplesIn>} samples */
function measure(figures, rates, samples) {
  const at = Date.now();
  const requests = rates.requests.next(sumOf(samples, `${REQUESTS}_count`), at);
  const seconds = rates.seconds.next(sumOf(samples, `${REQUESTS}_sum`), at);
  figures.requests.now = requests;
  figures.latency.now = requests && seconds !== undefined ? (seconds / requests) * 1000 : undefined;
  figures.errors.now = rates.errors.next(
    sumOf(samples, `${REQUESTS}_count`, ({ status: code = '' }) => code.startsWith('5')),
    at,
  );
  figures.memory.now = sumOf(samples, 'gatehouse_process_resident_memory_bytes') / 1_048_576;
  for (const { chart, now } of Object.values(figures)) chart.add(at, now);
}

/** @typedef {{ chart: Chart, now: number | undefined }} Figure */
/** @typedef {Readonly<Record<'requests' | 'latency' | 'errors' | 'memory', Figure>>} Figures */

/** @param {import('./stage.js').Stage} stage @param {any} status @param {ReturnType<typeof samplesIn>} samples @param {Figures} figures @param {readonly import('./configuration.js').Setting[]} settings */
function draw(stage, status, samples, figures, settings) {
  const isReady = status.not_ready.length === 0;
  const troubles = [...status.not_ready, ...status.degraded];
  stage.show(
    'Operations',
    html`
      ${head('Operations', html`gatehouse ${status.version} ${isReady ? badge('ready', 'good') : badge('not ready', 'bad')} ${status.degraded.length > 0 ? badge('degraded', 'waiting') : ''}`)}
      ${troubles.length === 0 ? '' : html`<ul class="losers">${troubles.map((each) => html`<li>${each}</li>`)}</ul>`}
      <div class="cards">
        ${card('Requests', figures.requests, 'per second')} ${card('Time of a request', figures.latency, 'ms on average')} ${card('Errors of the server', figures.errors, 'per second')} ${card('Memory', figures.memory, 'MiB')}
      </div>
      <h2>Actors</h2>
      ${table('Actors', ['Actor', 'State', 'Restarts', 'Calls', 'Waiting and running', 'Time of a call'], actorsIn(samples))}
      ${configuration(settings)}
    `,
  );
}

/** @param {string} title @param {Figure} figure @param {string} unit */
const card = (title, { chart, now }, unit) =>
  html`<section class="card" aria-label=${title}><h2>${title}</h2><p class="chart-figures">${shortNumber(now)}<small>${unit}</small></p>${chart.element}</section>`;

/** @param {ReturnType<typeof samplesIn>} samples */
function actorsIn(samples) {
  const threads = samples.filter(({ name }) => name === 'gatehouse_actor_state');
  const names = [...new Set(threads.map(({ labels }) => labels['actor'] ?? ''))].toSorted();
  return names.map((actor) => {
    const isOwn = (/** @type {Readonly<Record<string, string>>} */ labels) => labels['actor'] === actor;
    const states = threads.filter(({ labels }) => isOwn(labels)).map(({ labels }) => labels['state'] ?? '');
    const counted = [...new Set(states)].map((state) => /** @type {const} */ ([state, states.filter((each) => each === state).length]));
    const calls = sumOf(samples, 'gatehouse_actor_calls_total', isOwn);
    const seconds = sumOf(samples, 'gatehouse_actor_run_seconds_total', isOwn);
    const restarts = sumOf(samples, 'gatehouse_actor_restarts_total', isOwn);
    return [
      actor,
      counted.map(([state, count]) => html`${badge(count > 1 ? `${count} ${state}` : state, LOOKS[state] ?? 'waiting')} `),
      restarts === 0 ? '0' : badge(String(restarts), 'waiting'),
      calls.toLocaleString(),
      sumOf(samples, 'gatehouse_actor_queue_depth', isOwn).toLocaleString(),
      calls === 0 ? '–' : `${shortNumber((seconds / calls) * 1000)} ms`,
    ];
  });
}
