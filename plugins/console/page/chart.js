// A chart of one figure over time, in the colours of the page; a text says the same to whoever does not see it.
import uPlot from '/console/lib/uplot.js';

/** Readings that stay on the chart. */
const MAX_POINTS = 120;
const HEIGHT = 140;

/** @param {string} name of a custom property */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Loads the style sheet of the library in front of those of the console, once. */
export function loadChartStyle() {
  if (document.querySelector('link[href="/console/lib/uplot.css"]')) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = '/console/lib/uplot.css';
  document.head.prepend(link);
}

export class Chart {
  /** @type {HTMLElement} */
  element = document.createElement('div');
  /** @type {[number[], (number | null)[]]} */
  #data = [[], []];
  /** @type {uPlot | undefined} */
  #plot;
  #label;

  /** @param {string} label @param {AbortSignal} signal aborted when the chart is not shown any more */
  constructor(label, signal) {
    this.#label = label;
    this.element.className = 'chart';
    this.element.setAttribute('aria-hidden', 'true');
    const observer = new ResizeObserver(() => this.#plot?.setSize({ width: this.element.clientWidth, height: HEIGHT }));
    observer.observe(this.element);
    signal.addEventListener('abort', () => {
      observer.disconnect();
      this.#plot?.destroy();
    });
  }

  /** @param {number} at milliseconds @param {number | undefined} value */
  add(at, value) {
    const [times, values] = this.#data;
    times.push(at / 1000);
    values.push(value ?? null);
    if (times.length > MAX_POINTS) for (const list of this.#data) list.shift();
    if (this.#plot) this.#plot.setData(this.#data);
    else if (this.element.isConnected && this.element.clientWidth > 0) this.#plot = this.#make();
  }

  #make() {
    const axis = { stroke: colour('--faint'), grid: { stroke: colour('--edge'), width: 1 }, ticks: { show: false } };
    const line = { label: this.#label, stroke: colour('--accent'), width: 2, fill: colour('--soft'), points: { show: false } };
    const scale = /** @type {[number, number]} */ ([0, 1]);
    /** @type {uPlot.Options} */
    const options = {
      ...{ width: this.element.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { show: false } },
      scales: { y: { range: (_plot, _min, max) => [scale[0], Math.max(max * 1.2, 0.001)] } },
      series: [{}, line],
      axes: [
        { ...axis, space: 80 },
        { ...axis, size: 52 },
      ],
    };
    return new uPlot(options, this.#data, this.element);
  }
}
