import { scaleLinear, scaleUtc } from 'd3-scale';
import { addDays } from '../lib/calendar.ts';
import { plural, visible } from '../lib/text.ts';
import { nameOf, type VoteReport } from './vote-report.ts';

type DayVotes = VoteReport['days'][number];

/** Markup, which is not escaped again. */
interface Html {
  html: string;
}

/** A template of HTML or SVG: every value that is not Html is shown as text, whatever it contains. Lists are joined. */
function html(parts: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  return { html: parts.map((part, index) => part + markup(values[index] ?? '')).join('') };
}

function markup(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return visible(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return 'html' in value ? value.html : value.map((each) => each.html).join('\n');
}

const width = 720;
/** Coordinates do not need more digits. */
const near = (value: number) => Math.round(value * 10) / 10;
const percent = (share: number) => `${Math.round(share * 100)}%`;

/** Draws the votes of each day as stacked bars: yes filled, no hatched. `days` are in order and have no gaps. */
function dayPlot(days: readonly DayVotes[], description: string): Html {
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  // The names of days are centered below the first and the last bar.
  const [left, right, top, bottom] = [44, width - 44, 12, 220];
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
      return html`<line class="grid" x1="${middle}" x2="${middle}" y1="${bottom}" y2="${bottom + 5}"/><text x="${middle}" y="${bottom + 20}" text-anchor="middle">${dateNames.format(date)}</text>`;
    });
  const legend = html`<rect class="yes" x="${left}" y="${bottom + 34}" width="12" height="12"/><text x="${left + 18}" y="${bottom + 44}">yes</text><rect class="no" x="${left + 60}" y="${bottom + 34}" width="12" height="12"/><text x="${left + 78}" y="${bottom + 44}">no</text>`;
  const hatch = html`<defs><pattern id="days-hatch" class="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5"/><line x1="0" y1="0" x2="0" y2="5"/></pattern></defs>`;
  return figure('days', 'Votes per day', description, bottom + 52, [hatch, ...rows, ...bars, ...marks, legend]);
}

/** Draws the share of yes of each agent as a point on a line that is its range. */
function sharePlot(agents: readonly ReturnType<typeof shareOf>[], description: string): Html {
  const [left, right, top, row] = [250, width - 110, 28, 24];
  const x = scaleLinear([0, 1], [left, right]);
  const bottom = top + agents.length * row;
  const columns = x
    .ticks(4)
    .map(
      (share) =>
        html`<line class="grid" x1="${near(x(share))}" x2="${near(x(share))}" y1="${top - 4}" y2="${bottom}"/><text x="${near(x(share))}" y="${top - 12}" text-anchor="middle">${percent(share)}</text>`,
    );
  const rows = agents.map(({ name, votes, share, low, high }, index) => {
    const y = top + (index + 0.5) * row;
    const ends = [low, high].map(
      (end) => html`<line class="range" x1="${near(x(end))}" x2="${near(x(end))}" y1="${y - 4}" y2="${y + 4}"/>`,
    );
    const label = name.length > 34 ? `${name.slice(0, 33)}…` : name;
    return html`<g><title>${name}: ${percent(share)} of ${votes}, 95% interval ${percent(low)} to ${percent(high)}</title><text x="${left - 12}" y="${y + 4}" text-anchor="end">${label}</text><line class="range" x1="${near(x(low))}" x2="${near(x(high))}" y1="${y}" y2="${y}"/>${ends}<circle class="share" cx="${near(x(share))}" cy="${y}" r="5"/><text x="${right + 16}" y="${y + 4}">${percent(share)} of ${votes}</text></g>`;
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

const dateNames = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** The value of a standard normal variable that 97.5 % of all values are below, for an interval of 95 %. */
const z = 1.959964;

/**
 * Returns the range, from 0 to 1, that contains the true share of yes with a probability of 95 %: the Wilson score interval,
 * which is also right for few votes and for shares near 0 or 1. `votes` is at least 1.
 */
export function wilsonInterval(yes: number, votes: number): { low: number; high: number } {
  const share = yes / votes;
  const spread = z ** 2 / votes;
  const center = (share + spread / 2) / (1 + spread);
  const half = (z * Math.sqrt((share * (1 - share)) / votes + spread / (4 * votes))) / (1 + spread);
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}

/** With fewer votes, a share in percent would say more than is known. */
const fewest = 5;
/** The most agents and days in a picture, and the fewest days; the tables have all agents, and the days with votes. */
const shown = { agents: 50, days: 366, fewestDays: 14 };

/** Renders a report as one HTML page that loads nothing: pictures with tables beside them, and the notes. */
export function reportHtml(report: VoteReport): string {
  const { since, totals, agents, notes, malformed } = report;
  const names = new Map(agents.map((agent) => [agent.slug, nameOf(agent)]));
  const from = since === null ? '' : ` since ${since.slice(0, 10)}`;
  const summary =
    totals.share === null
      ? `No votes${from}.`
      : `${plural(totals.votes, 'vote')}${from}: ${totals.yes} yes, ${totals.no} no${totals.votes < fewest ? '' : `, ${percent(totals.share)} yes`}.`;
  const left = malformed === 0 ? '' : ` Lines of the log that are not votes, and were left out: ${malformed}.`;
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Votes</title>
<style>${{ html: style }}</style>
</head>
<body>
<main>
<h1>Votes</h1>
<p>${summary + left} Days are in UTC.</p>
${report.days.length === 0 ? [] : [daySection(report.days), agentSection(report)]}
<section aria-labelledby="notes">
<h2 id="notes">${notes.length === 0 ? 'No notes' : notes.length === 1 ? 'The latest note' : `The latest ${notes.length} notes`}</h2>
<ol class="notes">
${notes.map(({ time, slug, vote, note }) => html`<li><p>${note}</p><p class="quiet"><time datetime="${time}">${time.slice(0, 10)}</time>, ${names.get(slug) ?? slug}, ${vote}</p></li>`)}
</ol>
</section>
</main>
</body>
</html>
`;
  return page.html;
}

function daySection(days: readonly DayVotes[]): Html {
  const last = days.at(-1)?.day ?? '';
  const earliest = addDays(last, 1 - shown.days);
  const voted = days.filter(({ day }) => day >= earliest);
  // A few days have narrow bars too: one bar as wide as the plot would look like many votes.
  const drawn = withEmptyDays(voted, addDays(last, 1 - shown.fewestDays));
  const busiest = drawn.reduce((most, day) => (day.yes + day.no > most.yes + most.no ? day : most));
  const description = `From ${voted[0]?.day} to ${last}. Most votes on ${busiest.day}: ${busiest.yes} yes and ${busiest.no} no.`;
  const rest = days.some(({ day }) => day < earliest) ? ' Earlier days are only in the table.' : '';
  const rows = days.map(({ day, yes, no }) => [day, yes + no, yes, no]);
  const data = table('days', ['Day', 'Votes', 'Yes', 'No'], rows);
  return section('days', 'Votes per day', dayPlot(drawn, description), description + rest, data);
}

function agentSection({ agents }: VoteReport): Html {
  const shares = agents.map(shareOf);
  const drawn = shares.slice(0, shown.agents).sort((a, b) => b.low - a.low);
  const which = drawn.length < agents.length ? `The ${drawn.length} agents with the most votes. ` : '';
  const description = `${which}A point is the share of yes. With a probability of 95%, the share among all readers is on its line (Wilson score interval): the fewer votes, the longer the line. The agent whose line starts farthest to the right is first.`;
  const data = table(
    'shares',
    ['Agent', 'Votes', 'Yes', 'No', 'Notes', 'Share of yes', '95% interval'],
    shares.map(({ name, votes, yes, notes, share, low, high }) => {
      const range = `${percent(low)} to ${percent(high)}`;
      return [name, votes, yes, votes - yes, notes, percent(share), range];
    }),
  );
  return section('shares', 'Share of yes by agent', sharePlot(drawn, description), description, data);
}

/** A plot with what it shows in words and, below it, as a table. */
function section(id: string, title: string, plot: Html, description: string, data: Html): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<div class="scroll" role="group" aria-label="Plot of the ${title[0]?.toLowerCase() + title.slice(1)}" tabindex="0">${plot}</div>
<p class="quiet">${description}</p>
${data}
</section>`;
}

/** An agent, its share of yes, and the interval around it, from 0 to 1. */
function shareOf({ yes, votes, notes, ...agent }: VoteReport['agents'][number]) {
  return { name: nameOf(agent), yes, votes, notes, ...wilsonInterval(yes, votes), share: yes / votes };
}

/** A table whose first column has the names of the rows. */
function table(heading: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): Html {
  return html`<div class="table" role="group" aria-labelledby="${heading}" tabindex="0"><table aria-labelledby="${heading}">
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(([name = '', ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
</tbody>
</table></div>`;
}

/** Adds the days without votes, from the first day on, or from an earlier one. */
function withEmptyDays(days: readonly DayVotes[], from: string): DayVotes[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const all: DayVotes[] = [];
  const [first = ''] = [days[0]?.day ?? '', from].sort();
  for (let day = first; day <= (days.at(-1)?.day ?? ''); day = addDays(day, 1)) {
    all.push(byDay.get(day) ?? { day, yes: 0, no: 0 });
  }
  return all;
}

const style = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #161512); --ink: light-dark(#1d1a16, #ebe6dc); --quiet: light-dark(#615b50, #aaa294); --line: light-dark(#d9d3c5, #3a362f); --yes: light-dark(#1f633b, #86cf9b); --no: light-dark(#a6331b, #ff9d84); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem; }
h1, h2 { line-height: 1.2; }
section { margin-block-start: 2.5rem; }
.quiet { color: var(--quiet); }
.scroll { overflow-x: auto; }
svg { display: block; min-width: 38rem; width: 100%; font: 12px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--line); }
.yes { fill: var(--yes); }
.no { fill: url(#days-hatch); stroke: var(--no); stroke-width: 0.5; }
.hatch rect { fill: var(--paper); }
.hatch line { stroke: var(--no); stroke-width: 3; }
.range { stroke: var(--ink); stroke-width: 2; }
.share { fill: var(--yes); stroke: var(--paper); stroke-width: 1.5; }
.table { max-height: 24rem; overflow: auto; border-block: 1px solid var(--line); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 1.25rem 0.2rem 0; text-align: right; }
td { white-space: nowrap; }
th:first-child { text-align: left; }
tbody th { font-weight: normal; }
thead th { position: sticky; top: 0; background: var(--paper); }
.notes li { margin-block: 1rem; overflow-wrap: anywhere; }
.notes p { margin: 0; }
:focus-visible { outline: 3px solid var(--yes); outline-offset: 2px; }
@media print {
  :root { color-scheme: light; }
  .table, .scroll { max-height: none; overflow: visible; }
  [aria-labelledby='days'] > .table { columns: 3; }
  svg { min-width: 0; }
  svg, tr, li { break-inside: avoid; }
  thead th { position: static; }
}
`;
