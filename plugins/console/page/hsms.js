// The hardware security modules, live: which slots answer, and what they do.
import { html, nothing } from '/console/lib/lit-html.js';
import { get } from './api.js';
import { Chart, loadChartStyle } from './chart.js';
import { follow, followJson } from './live.js';
import { Rate, samplesIn, shortNumber, sumOf } from './measurements.js';
import { badge, empty, head } from './shown.js';

const STATUS = '/hsm/status';

/** @typedef {{ chart: Chart, operations: Rate, seconds: Rate, rate: number | undefined, latency: number | undefined, failed: number }} Instrument */

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const instruments = /** @type {Map<string, Instrument>} */ (new Map());
  let instances = await get(STATUS);
  draw(stage, instances, instruments);
  void followJson(stage, STATUS, (now) => {
    instances = now;
    draw(stage, instances, instruments);
  });
  if (!stage.me.is_super_admin) return;
  loadChartStyle();
  void follow(stage, '/operations/metrics', (text) => {
    const samples = samplesIn(text);
    for (const { prefix } of instances) measure(instrumentOf(instruments, prefix, stage.signal), samples, prefix);
    draw(stage, instances, instruments);
  });
}

/** @param {Map<string, Instrument>} instruments @param {string} prefix @param {AbortSignal} signal */
function instrumentOf(instruments, prefix, signal) {
  const known = instruments.get(prefix);
  if (known) return known;
  const made = { chart: new Chart('operations/s', signal), operations: new Rate(), seconds: new Rate(), rate: undefined, latency: undefined, failed: 0 };
  instruments.set(prefix, made);
  return made;
}

/** @param {Instrument} instrument @param {ReturnType<typeof samplesIn>} samples @param {string} prefix */
function measure(instrument, samples, prefix) {
  const at = Date.now();
  const isMeant = (/** @type {Readonly<Record<string, string>>} */ labels) => Object.values(labels).includes(prefix);
  instrument.rate = instrument.operations.next(sumOf(samples, 'gatehouse_hsm_operations_total', isMeant), at);
  const busy = instrument.seconds.next(sumOf(samples, 'gatehouse_hsm_operation_seconds_total', isMeant), at);
  instrument.latency = instrument.rate && busy !== undefined ? (busy / instrument.rate) * 1000 : undefined;
  instrument.failed = sumOf(samples, 'gatehouse_hsm_operations_total', (labels) => isMeant(labels) && labels['outcome'] !== 'CKR_OK');
  instrument.chart.add(at, instrument.rate);
}

/** @param {import('./stage.js').Stage} stage @param {readonly any[]} instances @param {ReadonlyMap<string, Instrument>} instruments */
function draw(stage, instances, instruments) {
  const none = empty(
    'No hardware security module',
    html`Attach one in <code>config.toml</code> with <code>[[hsm_instances]]</code>. Keys on it never leave it.`,
  );
  stage.show(
    'HSMs',
    html`${head('HSMs', 'Hardware security modules and their slots, as they answer now.')}
    ${instances.length === 0 ? none : html`<div class="parts">${instances.map((instance) => card(instance, instruments.get(instance.prefix)))}</div>`}`,
  );
}

/** @param {any} instance @param {Instrument | undefined} instrument */
function card({ prefix, model, slots }, instrument) {
  const figures = instrument
    ? html`<p class="chart-figures">${shortNumber(instrument.rate)}<small>operations/s</small> ${shortNumber(instrument.latency)}<small>ms each</small> ${instrument.failed}<small>errors</small></p>${instrument.chart.element}`
    : nothing;
  return html`<section class="card" aria-label=${prefix}>
    <h2>${prefix} <small class="faint">${model}</small></h2>
    <ul class="slots">
      ${slots.map((/** @type {any} */ { slot_id: slot, accessible }) => html`<li>Slot ${slot} ${accessible ? badge('answers', 'good') : badge('does not answer', 'bad')} <a href="#/new-key">Make a key here</a></li>`)}
    </ul>
    ${figures}
  </section>`;
}
