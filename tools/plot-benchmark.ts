import { readFileSync, writeFileSync } from 'node:fs';
import { scaleLog } from 'd3-scale';
import type { Figure } from './bench/report.ts';

/**
 * `node --import tsx tools/plot-benchmark.ts <file>` reads the figures that `npm run bench -- build --json <file>` wrote,
 * draws the plots of docs/performance.md, and prints its table.
 */

interface Point {
  agents: number;
  value: number;
}
interface Series {
  name: string;
  color: string;
  dash: string;
  points: Point[];
}

const { figures } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as { figures: Figure[] };
const images = new URL('../docs/images/', import.meta.url);

/** The values of a figure by the number of agents, which ends its name. */
function pointsOf(name: string, scale: number): Point[] {
  return figures.flatMap((figure) => {
    const [, agents = ''] = figure.name.startsWith(`${name}, `) ? (/, ([\d,]+) agents$/.exec(figure.name) ?? []) : [];
    const isSame = figure.name === `${name}, ${agents} agents`;
    return isSame ? [{ agents: Number(agents.replaceAll(',', '')), value: figure.value * scale }] : [];
  });
}

/** The names of the lines, and how the figures start that they show. */
const [catalog, hugo, copying] = [
  { name: 'catalog build', color: '#b3261e', dash: '' },
  { name: 'Hugo, a page for each agent', color: '#2563a8', dash: '6 4' },
  { name: 'copying the same bytes', color: '#5f6368', dash: '2 3' },
];
const plots: [file: string, title: string, unit: string, lines: Series[]][] = [
  [
    'build-time.svg',
    'Time of a build from nothing, with social images cached',
    's',
    [
      { ...catalog, points: pointsOf('time, cold, images cached', 0.001) },
      { ...hugo, points: pointsOf('time, Hugo', 0.001) },
      { ...copying, points: pointsOf('time, copying the same bytes', 0.001) },
    ],
  ],
  [
    'build-memory.svg',
    'Peak memory of a build from nothing',
    'MiB',
    [
      { ...catalog, points: pointsOf('peak memory, cold', 1) },
      { ...hugo, points: pointsOf('peak memory, Hugo', 1) },
    ],
  ],
];

const [width, height, left, right, top, bottom] = [720, 400, 64, 24, 44, 56];

/** Draws lines over the number of agents; both axes are logarithmic. */
function plot(title: string, unit: string, lines: readonly Series[]): string {
  const points = lines.flatMap((line) => line.points);
  const range = (values: number[]) => [Math.min(...values), Math.max(...values)] as [number, number];
  const x = scaleLog(range(points.map(({ agents }) => agents)), [left, width - right]);
  const y = scaleLog(range(points.map(({ value }) => value)), [height - bottom, top]).nice();
  const at = (value: number) => Math.round(value * 10) / 10;
  const text = (value: number) => value.toLocaleString('en-US');
  const rows = y
    .ticks(4)
    .filter((value) => /^0*\.?0*[125]0*$/.test(String(value)))
    .map(
      (value) =>
        `<path class="grid" d="M${left} ${at(y(value))}H${width - right}"/><text x="${left - 8}" y="${at(y(value) + 4)}" text-anchor="end">${text(value)}</text>`,
    );
  const columns = [...new Set(points.map(({ agents }) => agents))].map(
    (agents) =>
      `<path class="grid" d="M${at(x(agents))} ${top}V${height - bottom}"/><text x="${at(x(agents))}" y="${height - bottom + 18}" text-anchor="middle">${text(agents)}</text>`,
  );
  const curves = lines.map(({ name, color, dash, points }, index) => {
    const path = points.map(({ agents, value }) => `${at(x(agents))} ${at(y(value))}`).join('L');
    const dots = points.map(({ agents, value }) => `<circle cx="${at(x(agents))}" cy="${at(y(value))}" r="4"/>`);
    const key = left + 4 + index * 226;
    return `<g style="--color:${color}"><path class="line" stroke-dasharray="${dash}" d="M${path}"/>${dots.join('')}<path class="line" stroke-dasharray="${dash}" d="M${key} ${height - 14}h28"/><text x="${key + 36}" y="${height - 10}">${name}</text></g>`;
  });
  const values = lines.map(
    ({ name, points }) =>
      `${name}: ${points.map(({ agents, value }) => `${text(at(value))} ${unit} for ${text(agents)} agents`).join(', ')}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${title}</title>
<desc id="description">${values.join('. ')}.</desc>
<style>
svg { --ink: #202124; --paper: #fff; --grid: #dadce0; font: 14px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e8eaed; --paper: #202124; --grid: #5f6368; } g { filter: brightness(1.5); } }
text { fill: var(--ink); } .grid { stroke: var(--grid); } .line { fill: none; stroke: var(--color); stroke-width: 2.5; } circle { fill: var(--color); }
</style>
<rect width="${width}" height="${height}" fill="var(--paper)"/>
<text x="${left}" y="24" font-weight="600">${title} (${unit})</text>
${[...rows, ...columns, ...curves].join('\n')}
</svg>
`;
}

for (const [file, title, unit, lines] of plots) writeFileSync(new URL(file, images), plot(title, unit, lines));

console.log('| figure | value | aim |\n|---|---|---|');
for (const { name, value, unit, most } of figures) {
  const shown = value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
  console.log(
    `| ${name} | ${shown}${unit === '' ? '' : ` ${unit}`} | ${most === undefined ? '' : `at most ${most.toLocaleString('en-US')}`} |`,
  );
}
