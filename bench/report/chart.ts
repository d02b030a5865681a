// Draws charts as SVG, with ECharts, which needs no browser for it.
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

export interface Chart {
  readonly title: string;
  /** Label of the values, with their unit. */
  readonly unit: string;
  readonly kind: 'bar' | 'line';
  /** Along the other axis, in order. */
  readonly names: readonly (string | number)[];
  /** By the name of each series: a value for each of the names, null where there is none. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

const WIDTH = 900;
const LINES_HEIGHT = 420;
/** Of a bar, and of what surrounds all bars. */
const BAR_HEIGHT = 18;
const FRAME_HEIGHT = 130;

export function svgOf(chart: Chart): string {
  const height = chart.kind === 'line' ? LINES_HEIGHT : FRAME_HEIGHT + chart.names.length * (Object.keys(chart.series).length + 1) * BAR_HEIGHT;
  const drawn = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  drawn.setOption(optionsOf(chart));
  const svg = drawn.renderToSVGString();
  drawn.dispose();
  return `${svg}\n`;
}

function optionsOf({ title, unit, kind, names, series }: Chart): EChartsCoreOption {
  const categories = { type: 'category' as const, data: names.map(String) };
  const values = { type: 'value' as const, name: unit, nameLocation: 'middle' as const, nameGap: 35 };
  return {
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: title, left: 'center', top: 8 },
    legend: { top: 36 },
    grid: { left: 60, right: 60, top: 76, bottom: 40 },
    // Bars lie, so that long names can be read; the first name is at the top.
    ...(kind === 'bar'
      ? { xAxis: values, yAxis: { ...categories, inverse: true } }
      : { xAxis: categories, yAxis: { ...values, nameLocation: 'end', nameGap: 12 } }),
    series: Object.entries(series).map(([name, data]) => ({
      ...{ name, type: kind, data: [...data], showSymbol: false },
      ...(kind === 'bar' && { label: { show: true, position: 'right' } }),
    })),
  };
}
