// Draws a flame graph as SVG: each frame above what it called, as wide as its part of the time.
import { CustomChart, type CustomSeriesOption } from 'echarts/charts';
import { GridComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Frame } from './cpu-profile.ts';

use([CustomChart, GridComponent, TitleComponent, SVGRenderer]);

const WIDTH = 1_400;
const ROW_HEIGHT = 17;
const TITLE_HEIGHT = 40;
/** Narrower frames say nothing and make the file large. */
const MIN_PART = 0.004;
/** Pixels of one letter. */
const LETTER = 6.2;
const COLORS: Readonly<Record<string, string>> = { node: '#9fc5e8', V8: '#d0d0d0', node_modules: '#b6d7a8', kernel: '#f9cb9c', plugins: '#ffe599' };
const OTHERS = '#ea9999';

interface Bar {
  readonly frame: Frame;
  readonly depth: number;
  readonly from: number;
}

export function flameOf(title: string, frames: readonly Frame[]): string {
  const bars = barsOf(frames, 0, 0);
  const height = TITLE_HEIGHT + (Math.max(0, ...bars.map(({ depth }) => depth)) + 1) * ROW_HEIGHT + 8;
  const drawn = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  drawn.setOption({
    ...{ animation: false, backgroundColor: '#ffffff', title: { text: title, left: 'center', top: 8 } },
    ...{ grid: { left: 0, right: 0, top: TITLE_HEIGHT, bottom: 0 }, xAxis: { show: false, min: 0, max: 1 }, yAxis: { show: false } },
    series: {
      type: 'custom',
      renderItem: (_, { value }) => drawnBar(bars[Number(value(0))] as Bar),
      data: bars.map((_, at) => [at]),
    } satisfies CustomSeriesOption,
  });
  const svg = drawn.renderToSVGString();
  drawn.dispose();
  return `${svg}\n`;
}

function barsOf(frames: readonly Frame[], depth: number, start: number): Bar[] {
  let from = start;
  return frames.flatMap((frame) => {
    const bars = frame.part < MIN_PART ? [] : [{ frame, depth, from }, ...barsOf(frame.children, depth + 1, from)];
    from += frame.part;
    return bars;
  });
}

function drawnBar({ frame, depth, from }: Bar) {
  const shape = { x: from * WIDTH, y: TITLE_HEIGHT + depth * ROW_HEIGHT, width: Math.max(1, frame.part * WIDTH - 1), height: ROW_HEIGHT - 1 };
  const text = `${frame.name} ${(frame.part * 100).toFixed(1)} %`;
  const letters = Math.floor(shape.width / LETTER);
  return {
    type: 'group' as const,
    children: [
      { type: 'rect' as const, shape, style: { fill: COLORS[frame.layer] ?? OTHERS } },
      ...(letters < 4
        ? []
        : [{ type: 'text' as const, style: { text: text.slice(0, letters), x: shape.x + 2, y: shape.y + 3, font: '10px monospace', fill: '#000000' } }]),
    ],
  };
}
