import { scaleLinear, scaleUtc } from 'd3-scale';
import { addDays } from '../calendar.ts';
import { type Html, html } from './html.ts';
import type { DayVotes } from './report.ts';

/** An agent, its share of yes, and the interval around it, from 0 to 1. */
export interface AgentShare {
  slug: string;
  votes: number;
  share: number;
  low: number;
  high: number;
}

const width = 720;
/** Coordinates do not need more digits. */
const near = (value: number) => Math.round(value * 10) / 10;
export const percent = (share: number) => `${Math.round(share * 100)}%`;

/** Draws the votes of each day as stacked bars: yes filled, no hatched. `days` are in order and have no gaps. */
export function dayPlot(days: readonly DayVotes[], description: string): Html {
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const [left, right, top, bottom] = [44, width - 8, 12, 220];
  const x = scaleUtc([new Date(first), new Date(addDays(last, 1))], [left, right]);
  const most = Math.max(4, ...days.map(({ yes, no }) => yes + no));
  const y = scaleLinear([0, most], [bottom, top]).nice(4);
  const at = (day: string) => x(new Date(day));
  const gap = (right - left) / days.length > 4 ? 1 : 0;
  const bar = (day: string, from: number, to: number, kind: string) =>
    html`<rect class="${kind}" x="${near(at(day) + gap / 2)}" y="${near(y(to))}" width="${near(at(addDays(day, 1)) - at(day) - gap)}" height="${near(y(from) - y(to))}"/>`;
  const bars = days.flatMap(({ day, yes, no }) =>
    yes + no === 0
      ? []
      : [
          html`<g><title>${day}: ${yes} yes, ${no} no</title>${bar(day, 0, yes, 'yes')}${bar(day, yes, yes + no, 'no')}</g>`,
        ],
  );
  const rows = y
    .ticks(4)
    .map(
      (count) =>
        html`<line class="grid" x1="${left}" x2="${right}" y1="${near(y(count))}" y2="${near(y(count))}"/><text x="${left - 8}" y="${near(y(count) + 4)}" text-anchor="end">${count}</text>`,
    );
  const marks = x
    .ticks(5)
    // The scale ends with the end of the last day, which is the start of a day without a bar.
    .filter((date) => date.getTime() % 86_400_000 === 0 && date <= new Date(last))
    .map((date) => {
      const middle = near((x(date) + x(new Date(date.getTime() + 86_400_000))) / 2);
      return html`<line class="grid" x1="${middle}" x2="${middle}" y1="${bottom}" y2="${bottom + 5}"/><text x="${middle}" y="${bottom + 20}" text-anchor="middle">${dayName(date)}</text>`;
    });
  const legend = html`<rect class="yes" x="${left}" y="${bottom + 34}" width="12" height="12"/><text x="${left + 18}" y="${bottom + 44}">yes</text><rect class="no" x="${left + 60}" y="${bottom + 34}" width="12" height="12"/><text x="${left + 78}" y="${bottom + 44}">no</text>`;
  const hatch = html`<defs><pattern id="days-hatch" class="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5"/><line x1="0" y1="0" x2="0" y2="5"/></pattern></defs>`;
  return figure('days', 'Votes per day', description, bottom + 52, [hatch, ...rows, ...bars, ...marks, legend]);
}

/** Draws the share of yes of each agent as a point on a line that is its range. */
export function sharePlot(agents: readonly AgentShare[], description: string): Html {
  const [left, right, top, row] = [250, width - 110, 28, 24];
  const x = scaleLinear([0, 1], [left, right]);
  const bottom = top + agents.length * row;
  const columns = x
    .ticks(4)
    .map(
      (share) =>
        html`<line class="grid" x1="${near(x(share))}" x2="${near(x(share))}" y1="${top - 4}" y2="${bottom}"/><text x="${near(x(share))}" y="${top - 12}" text-anchor="middle">${percent(share)}</text>`,
    );
  const rows = agents.map(({ slug, votes, share, low, high }, index) => {
    const y = top + (index + 0.5) * row;
    const ends = [low, high].map(
      (end) => html`<line class="range" x1="${near(x(end))}" x2="${near(x(end))}" y1="${y - 4}" y2="${y + 4}"/>`,
    );
    const name = slug.length > 34 ? `${slug.slice(0, 33)}…` : slug;
    return html`<g><title>${slug}: ${percent(share)} of ${votes}, 95% interval ${percent(low)} to ${percent(high)}</title><text x="${left - 12}" y="${y + 4}" text-anchor="end">${name}</text><line class="range" x1="${near(x(low))}" x2="${near(x(high))}" y1="${y}" y2="${y}"/>${ends}<circle class="share" cx="${near(x(share))}" cy="${y}" r="5"/><text x="${right + 16}" y="${y + 4}">${percent(share)} of ${votes}</text></g>`;
  });
  return figure('shares', 'Share of yes by agent', description, bottom + 8, [...columns, ...rows]);
}

function figure(id: string, title: string, description: string, height: number, content: readonly Html[]): Html {
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${content}
</svg>`;
}

function dayName(date: Date): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(date);
}
