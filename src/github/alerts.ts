import { plural, prettyReport } from '../diagnostics/report.ts';
import { type HeldBack, howToFree, type Plan } from '../publish/plan.ts';
import { fenced, markdownText } from './markdown.ts';

/** Something that a person has to see to, as an issue on GitHub. The title tells one from another. */
export interface Alert {
  title: string;
  body: string;
}

/** What a plan asks people to see to: agents held back, and a queue that runs dry. */
export function alertsOf(plan: Plan): Alert[] {
  return [...plan.heldBack.map((held) => heldBackAlert(held, plan)), ...(plan.queueLow ? [queueAlert(plan)] : [])];
}

function heldBackAlert({ slug, date, errors }: HeldBack, plan: Plan): Alert {
  const due = date === null ? 'It is due, as far as can be told' : `It was due on ${date}`;
  return {
    title: `Held back: ${slug}`,
    body: [
      `\`agents/${slug}\` did not come out. ${due}, and it has errors:`,
      fenced(prettyReport(errors, { color: false })),
      `${howToFree(plan)} Everything else came out.`,
    ].join('\n\n'),
  };
}

function queueAlert({ queueDays, next, freeDate }: Plan): Alert {
  const coming =
    next === null ? 'Nothing comes next.' : `Next is ${markdownText(next.title ?? next.slug)}, on ${next.date}.`;
  return {
    title: 'The queue runs dry',
    body: `${plural(queueDays, 'day')} from tomorrow on ${queueDays === 1 ? 'has' : 'have'} an agent. ${coming} The first free date is ${freeDate}: start an agent with \`catalog new\`.`,
  };
}
