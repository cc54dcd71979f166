import { addDays } from '../calendar.ts';
import { plural } from '../plural.ts';
import { type Html, html } from './html.ts';
import type { DayVotes, VoteReport } from './report.ts';
import { type AgentShare, dayPlot, percent, sharePlot } from './report-plots.ts';
import { wilsonInterval } from './wilson-interval.ts';

/** The most agents and days in a picture; the tables have all of them. */
const shown = { agents: 50, days: 366 };

/** Renders a report as one HTML page that loads nothing: pictures with tables beside them, and the notes. */
export function reportHtml(report: VoteReport): string {
  const { since, totals, notes, malformed } = report;
  const from = since === null ? '' : ` since ${since.slice(0, 10)}`;
  const summary =
    totals.share === null
      ? `No votes${from}.`
      : `${plural(totals.votes, 'vote')}${from}: ${totals.yes} yes, ${totals.no} no, ${percent(totals.share)} yes.`;
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
${notes.map(({ time, slug, vote, note }) => html`<li><p>${note}</p><p class="quiet"><time datetime="${time}">${time.slice(0, 10)}</time>, ${slug}, ${vote}</p></li>`)}
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
  const drawn = withEmptyDays(days.filter(({ day }) => day >= earliest));
  const busiest = drawn.reduce((most, day) => (day.yes + day.no > most.yes + most.no ? day : most));
  const description = `From ${drawn[0]?.day} to ${last}. Most votes on ${busiest.day}: ${busiest.yes} yes and ${busiest.no} no.`;
  const rest = days.some(({ day }) => day < earliest) ? ' Earlier days are only in the table.' : '';
  return html`<section aria-labelledby="days">
<h2 id="days">Votes per day</h2>
<div class="scroll" role="group" aria-label="Plot of the votes per day" tabindex="0">${dayPlot(drawn, description)}</div>
<p class="quiet">${description + rest}</p>
${table(
  'days',
  ['Day', 'Votes', 'Yes', 'No'],
  days.map(({ day, yes, no }) => [day, yes + no, yes, no]),
)}
</section>`;
}

function agentSection({ agents }: VoteReport): Html {
  const shares = agents.map(({ slug, yes, votes, withdrawn }) => ({
    slug,
    yes,
    votes,
    withdrawn,
    share: yes / votes,
    ...wilsonInterval(yes, votes),
  }));
  const drawn: AgentShare[] = shares.slice(0, shown.agents).sort((a, b) => b.low - a.low);
  const which = drawn.length < agents.length ? `The ${drawn.length} agents with the most votes. ` : '';
  const description = `${which}A point is the share of yes. With a probability of 95%, the share among all readers is on its line (Wilson score interval): the fewer votes, the longer the line. The agent whose line starts farthest to the right is first.`;
  return html`<section aria-labelledby="shares">
<h2 id="shares">Share of yes by agent</h2>
<div class="scroll" role="group" aria-label="Plot of the share of yes by agent" tabindex="0">${sharePlot(drawn, description)}</div>
<p class="quiet">${description}</p>
${table(
  'shares',
  ['Agent', 'Votes', 'Yes', 'No', 'Share of yes', '95% interval'],
  shares.map(({ slug, votes, yes, withdrawn, share, low, high }) => [
    slug + (withdrawn ? ' (withdrawn)' : ''),
    votes,
    yes,
    votes - yes,
    percent(share),
    `${percent(low)} to ${percent(high)}`,
  ]),
)}
</section>`;
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

/** Adds the days without votes. */
function withEmptyDays(days: readonly DayVotes[]): DayVotes[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const all: DayVotes[] = [];
  for (let day = days[0]?.day ?? ''; day <= (days.at(-1)?.day ?? ''); day = addDays(day, 1)) {
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
