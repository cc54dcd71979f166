import { queueText } from '../catalog/schedule.ts';
import { prettyReport } from '../diagnostics/report.ts';
import { howToPublish, type Plan, type Skipped } from '../publish/plan.ts';
import { fenced, markdownText } from './markdown.ts';

/** Something that needs a person, as a GitHub issue. Its title identifies it. */
export interface Alert {
  title: string;
  body: string;
}

/** The alerts of a plan: one for each skipped agent, and one if the queue is running low. */
export function alertsOf(plan: Plan): Alert[] {
  return [...plan.skipped.map((agent) => skippedAlert(agent, plan)), ...(plan.queueLow ? [queueAlert(plan)] : [])];
}

function skippedAlert({ slug, date, errors }: Skipped, plan: Plan): Alert {
  const due = date === null ? 'Its date cannot be read' : `It was due on ${date}`;
  return {
    title: `Skipped: ${slug}`,
    body: [
      `\`agents/${slug}\` was not published. ${due}, and it has errors:`,
      fenced(prettyReport(errors, { color: false })),
      `${howToPublish(plan)} All other agents due were published.`,
    ].join('\n\n'),
  };
}

function queueAlert(plan: Plan): Alert {
  const { next, freeDate } = plan;
  const coming =
    next === null
      ? 'No agent is scheduled after that.'
      : `Next is ${markdownText(next.title ?? next.slug)}, on ${next.date}.`;
  return {
    title: 'The queue is running low',
    body: `${queueText(plan)} ${coming} The first free date is ${freeDate}. Start an agent with \`catalog new\`.`,
  };
}
