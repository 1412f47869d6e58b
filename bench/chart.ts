import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chartOptions, chartSize } from './chart-options.ts';
import { nameOfReport, type Report } from './report.ts';

/** The part of ECharts that is used here; only bench/package.json has the package. */
interface Echarts {
  init(
    element: null,
    theme: null,
    settings: { renderer: 'svg'; ssr: true; width: number; height: number },
  ): { setOption(options: object): void; renderToSVGString(): string; dispose(): void };
}

/** Draws the chart. @returns its path */
export function drawChart(folder: string, report: Report): string {
  const echarts = createRequire(import.meta.url)('echarts') as Echarts;
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...chartSize(report) });
  chart.setOption(chartOptions(report));
  const path = join(folder, `${nameOfReport(report)}.svg`);
  writeFileSync(path, chart.renderToSVGString());
  chart.dispose();
  return path;
}
