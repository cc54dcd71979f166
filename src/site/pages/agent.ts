import { diffArrays } from 'diff';
import Handlebars from 'handlebars/runtime.js';
import { plural } from '../../lib/text.ts';
import { type AgentDocument, promptLicense } from '../../schema/documents.ts';
import {
  agentEvalsPath,
  type Case,
  descriptionOf,
  type Evals,
  type GradedAnswer,
  type Result,
  roundsOf,
  sampleCase,
} from '../../schema/evals.ts';
import { startOf } from '../../text/markdown-text.ts';
import { inputsOf, type SectionName, sectionsOf } from '../../text/prompt-text.ts';
import { installTabs } from '../install/install-source.ts';
import { type Output, upcoming } from '../output.ts';
import { score, scoreTable } from '../score-table.ts';
import { documentOf, documentsOf } from '../shared/agent-document.ts';
import { breadcrumbNode, publisherNode, renderPage, websiteId } from '../shared/page.ts';
import { agentImage, type PublishedAgent, type Site } from '../site.ts';

/** The same bytes at two paths, so that no host redirects, with or without a slash at the end of the address. */
export const agentPage: Output = {
  path: 'agents/{slug}.html',
  also: 'agents/{slug}/index.html',
  purpose: 'An agent’s page',
  *files(site, only) {
    const bySlug = new Map(site.agents.map((agent) => [agent.slug, agent]));
    for (const [index, agent] of site.agents.entries()) {
      if (only !== undefined && only !== agent.slug) continue;
      const [newer, older] = [site.agents[index - 1], site.agents[index + 1]];
      const related = (site.related.slugs[index] ?? []).flatMap((slug) => bySlug.get(slug) ?? []);
      const others = [newer, older, ...related].map((other) => other?.fingerprint.listed ?? '');
      yield {
        path: `agents/${agent.slug}.html`,
        copy: `agents/${agent.slug}/index.html`,
        agent: agent.slug,
        inputs: [agent.fingerprint.whole, ...others, ...(newer === undefined ? upcoming(site) : [])],
        render: () => renderAgent(site, agent, { newer, older, related }),
      };
    }
  },
};

interface Neighbors {
  newer: PublishedAgent | undefined;
  older: PublishedAgent | undefined;
  related: readonly PublishedAgent[];
}

function renderAgent(site: Site, agent: PublishedAgent, { newer, older, related }: Neighbors): string {
  const document = documentOf(agent);
  const { prompt, howItWorks, sampleOutput, config, evals } = agent.texts();
  const hints = new Map(Object.entries(agent.inputs ?? {}));
  const path = `agents/${agent.slug}`;
  const category = { name: document.categoryLabel, path: `categories/${agent.category}` };
  return renderPage(
    site,
    {
      template: 'agent',
      title: agent.title,
      description: agent.excerpt,
      path,
      category: agent.category,
      image: { path: agentImage(agent.slug), text: `No. ${agent.issue} of ${site.settings.title}: ${agent.title}` },
      plates: true,
      // Only on the newest: the others would have to be rendered again each day.
      saysNext: newer === undefined,
      alternates: [
        { type: 'text/markdown', href: `${document.url}.md`, title: 'Markdown' },
        { type: 'application/json', href: document.apiUrl, title: 'JSON' },
        { type: 'text/plain', href: document.promptUrl, title: 'Prompt' },
      ],
      graph: [...agentNodes(site, agent), breadcrumbNode(site, [category, { name: agent.title, path }])],
    },
    {
      ...leadValues(site, agent, ''),
      agent: document,
      inputs: inputsOf(prompt).map((input) => ({ ...input, hint: hints.get(input.name) ?? input.hint })),
      reviewed: agent.changedOn,
      howItWorks: site.markdown.forPage(howItWorks, document.url),
      sampleOutput,
      sampleAnswer: site.markdown.forAnswer(sampleOutput, document.url),
      trap: trapOf(agent.trap, evals),
      proof: proofSection(agent, (answer) => site.markdown.forAnswer(answer, document.url)),
      evalsLink: site.url.link(agentEvalsPath.replace('{slug}', agent.slug)),
      configText: config?.text ?? null,
      configLink: document.configUrl === null ? null : new URL(document.configUrl).pathname,
      assistants: assistantsFor(agent.runtimes),
      ways: installTabs(site, document),
      source: agent.source == null ? null : { address: null, ...agent.source },
      history: promptChanges(agent),
      related: documentsOf(site, related),
      newer: newer === undefined ? null : documentsOf(site, [newer])[0],
      older: older === undefined ? null : documentsOf(site, [older])[0],
    },
  );
}

/** Describes an agent: the work, and how to use it. */
function agentNodes({ settings, url }: Site, { document, changedOn }: PublishedAgent): object[] {
  const work = `${document.url}#work`;
  return [
    {
      '@type': 'CreativeWork',
      '@id': work,
      url: document.url,
      name: document.title,
      abstract: document.excerpt,
      description: document.problem,
      image: url.absolute(agentImage(document.slug)),
      position: document.issue,
      datePublished: document.date,
      dateModified: changedOn,
      genre: document.categoryLabel,
      keywords: document.tags,
      inLanguage: settings.language,
      license: promptLicense.url,
      creditText: `“${document.title}” by ${settings.publisher.name}, ${promptLicense.name}`,
      author: publisherNode(settings),
      publisher: publisherNode(settings),
      isPartOf: { '@id': websiteId(url) },
      encoding: [
        { '@type': 'MediaObject', encodingFormat: 'text/plain', contentUrl: document.promptUrl },
        { '@type': 'MediaObject', encodingFormat: 'text/markdown', contentUrl: `${document.url}.md` },
        { '@type': 'MediaObject', encodingFormat: 'application/json', contentUrl: document.apiUrl },
      ],
    },
    {
      '@type': 'HowTo',
      name: `How to use ${document.title}`,
      description: document.excerpt,
      about: { '@id': work },
      step: document.steps.map(({ name, text }, index) => ({
        '@type': 'HowToStep',
        position: index + 1,
        name,
        text,
        url: `${document.url}#step-${index + 1}`,
      })),
    },
  ];
}

/**
 * The changes of a prompt as sentences, newest first. Commit messages are not for readers, and may contain anything.
 */
function promptChanges({ history }: PublishedAgent): { day: string; what: string }[] {
  return history.flatMap(({ day, prompt }) => (prompt === null ? [] : [{ day, what: inWords(prompt) }]));
}

function inWords({ added, removed }: { added: number; removed: number }): string {
  const parts = Object.entries({ added, removed }).filter(([, count]) => count > 0);
  return parts.map(([what, count]) => `${plural(count, 'line')} ${what}`).join(', ');
}

/**
 * The values that the home page shows of its agent too: the prompt as a plate, the start of the sample, and the assistants that
 * the agent is made for. `page` is the path of its page, or empty on this page.
 */
export function leadValues(site: Site, agent: PublishedAgent, page: string) {
  const document = documentOf(agent);
  return {
    plate: plateOf(document.prompt),
    result: resultOf(site, agent),
    madeFor: madeFor(site, document, page),
  };
}

/** The start of the sample's input and of its answer, as HTML, which show at the top of a page what an agent does. */
function resultOf({ markdown }: Site, agent: PublishedAgent): { input: string; answer: string } {
  const { sampleInput, sampleOutput } = agent.texts();
  return {
    input: startOf(sampleInput, 6),
    answer: markdown.forAnswer(startOf(sampleOutput, 14), agent.document.url),
  };
}

const meanings: Record<SectionName, string> = {
  INPUT: 'what you give',
  RULES: 'how it works',
  OUTPUT: 'what comes back',
};

/** Divides a prompt into a plate, as pages show it: line by line, with its three sections marked. */
export function plateOf(prompt: string) {
  const sections = sectionsOf(prompt).map(({ name, start }) => ({
    name,
    line: prompt.slice(0, start).split('\n').length,
    meaning: meanings[name],
  }));
  const headings = new Set(sections.map(({ line }) => line));
  const lines = prompt.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return {
    /** Every line with its newline, so that together they are the prompt, byte for byte. */
    lines: lines.map((text, index) => ({ text, heading: headings.has(index + 1) })),
    /** Where its sections start, for the margin. */
    sections,
    words: prompt.match(/\S+/g)?.length ?? 0,
  };
}

/** How many checks "The trap" names that an answer fails without the prompt. The proof names all. */
const mostMissed = 3;

/** The mistake that an agent prevents, for readers who want to find it first; null if its front matter names none. */
function trapOf(line: string | null | undefined, evals: Evals | null) {
  if (line == null) return null;
  const compared = evals?.answers.find((answer) => answer.case === sampleCase && answer.withoutPrompt !== null);
  if (compared === undefined) return { line, control: null };
  const missed = missedWithoutPrompt(compared);
  const control = {
    model: compared.recorded.model,
    id: idOf(compared),
    count: missed.length,
    missed: missed.slice(0, mostMissed),
  };
  return { line, control };
}

/** The values for the section "Proof" of an agent's page; null for an agent without recorded answers. */
function proofSection({ texts, proof }: PublishedAgent, toHtml: (answer: string) => string) {
  const { evals, sampleOutput } = texts();
  if (proof === null || evals === null) return null;
  const { rows } = scoreTable(evals);
  const cases = evals.cases.map((one, index) => {
    const isSample = one.name === sampleCase;
    const checks = checksOf(one, evals, sampleOutput);
    return {
      id: `proof-input-${one.name}`,
      title: isSample ? 'The sample input' : `Another input: ${one.about ?? one.name}`,
      input: one.input,
      isSample,
      checks,
      contents: contentsOf(isSample, checks.length),
      answers: rows.map(({ model, answers }) => {
        const answer = answers[index] ?? null;
        return answer === null ? { model, score: null } : answerOf(answer, evals.cases, toHtml);
      }),
    };
  });
  const caught = cases.flatMap(({ checks }) =>
    checks.flatMap(({ wrong }) => (wrong === null ? [] : [wrong, ...wrong.also].map((answer) => answer.caught))),
  );
  return { ...proof, wrong: { all: caught.length, caught: caught.filter(Boolean).length }, cases };
}

/** The texts of a case to show besides its answers; null if there are none. The page shows the sample elsewhere. */
function contentsOf(isSample: boolean, checks: number): string | null {
  if (checks === 0) return isSample ? null : 'The input';
  const all = checks === 1 ? 'check' : `${checks} checks`;
  return isSample ? `The ${all}` : `The input and the ${all}`;
}

/** An answer that wrong ones may be made from. */
interface Original {
  /** Its kind, such as `the sample output`. */
  name: string;
  lines: string[];
}

/** The answers to a case, in a turn of the conversation, counted from 0. */
function goodAnswers({ answers }: Evals, name: string, turn: number, sampleOutput: string): Original[] {
  const recorded = answers
    .filter((answer) => answer.case === name)
    .map(({ recorded, answer, turns }) => [`the answer of ${recorded.model}`, [answer, ...turns][turn] ?? ''] as const);
  const sample = name === sampleCase && turn === 0 ? [['the sample output', sampleOutput] as const] : [];
  return [...sample, ...recorded].map(([name, text]) => ({ name, lines: text.trimEnd().split('\n') }));
}

/** The checks of a case, in all turns, each with a wrong answer that it has to catch. */
function checksOf(evalCase: Case, evals: Evals, sampleOutput: string) {
  return roundsOf(evalCase).flatMap((round, turn) => {
    const wrong = wrongAnswersOf(round, goodAnswers(evals, evalCase.name, turn, sampleOutput));
    return round.checks.map((check, at) => ({
      ...descriptionOf(check),
      turn: turn === 0 ? null : turn + 1,
      wrong: wrong[at] ?? null,
    }));
  });
}

/**
 * For each check of an answer, a wrong answer that it has to catch: one that it does not catch, if there is one. The others
 * are only named, in `also`: their changes would be a tenth of the page.
 */
function wrongAnswersOf({ checks, counterexamples }: Round, good: readonly Original[]) {
  // Where the good answer is no longer recorded, wrong answers that were made from it are still like each other.
  const shown: Original[] = [];
  const isCaught = ({ results, check }: Round['counterexamples'][number]) => results[check]?.failure !== null;
  return checks.map((_, check) => {
    const own = counterexamples.filter((counterexample) => counterexample.check === check);
    const main = own.find((counterexample) => !isCaught(counterexample)) ?? own[0];
    if (main === undefined) return null;
    const { name, wrong, answer } = main;
    const changes = changesOf(answer, good) ?? changesOf(answer, shown);
    if (changes === null) shown.push({ name: `the wrong answer “${wrong}”`, lines: answer.trimEnd().split('\n') });
    return {
      id: `proof-wrong-${name}`,
      wrong,
      start: startOf(answer, 5),
      changes,
      caught: isCaught(main),
      also: own.filter((other) => other !== main).map((other) => ({ wrong: other.wrong, caught: isCaught(other) })),
    };
  });
}

type Round = Pick<Case, 'checks' | 'counterexamples'>;

/** The most lines that are removed and added where a page shows changes. Finding them takes the square of that time. */
const mostEdits = 40;

/**
 * How a wrong answer differs from the good one that shares the most lines with it, as HTML: the changed lines, and the line
 * before those that are only added or only removed. Null if these are longer than the answer itself.
 */
function changesOf(answer: string, good: readonly Original[]): { from: string; html: string } | null {
  const lines = answer.trimEnd().split('\n');
  const own = new Set(lines);
  const shared = good.map((one) => one.lines.filter((line) => own.has(line)).length);
  const original = good[shared.indexOf(Math.max(...shared))];
  if (original === undefined) return null;
  const parts = diffArrays(original.lines, lines, { maxEditLength: mostEdits }) ?? [];
  let length = 0;
  const html = parts.flatMap(({ value, added, removed }, part) =>
    value.map((text, line) => {
      const next = parts[part + 1];
      if (!added && !removed) {
        const isPlace = line === value.length - 1 && !(next?.removed && parts[part + 2]?.added);
        if (next === undefined) return '';
        if (line === 0 && part > 0 && !(isPlace && text !== '')) return '<hr>';
        if (!isPlace || text === '') return '';
      }
      length += text.length + 1;
      // With <br>, lines do not run together in text browsers and reading modes, which use no styles.
      const escaped = `${Handlebars.escapeExpression(text)}<br>`;
      if (removed) return `<del><span class="visually-hidden">Removed: </span>${escaped}</del>`;
      return added ? `<ins><span class="visually-hidden">Added: </span>${escaped}</ins>` : `<span>${escaped}</span>`;
    }),
  );
  return parts.length === 0 || length >= answer.length ? null : { from: original.name, html: html.join('') };
}

/** The checks that an answer passes, and the answer of the same model without the prompt does not. */
function missedWithoutPrompt({ results, withoutPrompt }: GradedAnswer) {
  const missed = withoutPrompt?.results.filter(({ failure }, index) => failure !== null && !results[index]?.failure);
  return (missed ?? []).map(checkOf);
}

function answerOf(graded: GradedAnswer, cases: readonly Case[], toHtml: (answer: string) => string) {
  const { case: name, recorded, stale, answer, results, turns, withoutPrompt } = graded;
  const { model, date, made, note = null, settings = {}, tokens = {} } = recorded;
  const html = toHtml(answer);
  const facts = [
    ...Object.entries(settings).map(([key, value]) => `${key} ${value}`),
    ...(tokens.input === undefined ? [] : [`${tokens.input} tokens in`]),
    ...(tokens.output === undefined ? [] : [`${tokens.output} tokens out`]),
  ];
  return {
    id: idOf(graded),
    model,
    name,
    date,
    made: ways[made],
    note,
    facts: facts.join(', '),
    stale,
    score: `${score(results)} ${results.length === 1 ? 'check' : 'checks'}`,
    failures: results.map(checkOf).filter(({ failure }) => failure !== null),
    answer,
    answerTitle: withoutPrompt === null ? 'The answer' : 'With the prompt',
    turns: turns.map((text, index) => ({
      id: `${idOf(graded)}-turn-${index + 2}`,
      title: `Answer ${index + 2}`,
      says: cases.find((one) => one.name === name)?.turns[index]?.says ?? '',
      answer: text,
      html: toHtml(text),
    })),
    answerId: `${idOf(graded)}-answer`,
    html,
    // A second form of each answer would be a tenth of the page.
    oneForm: name !== sampleCase && html,
    withoutPrompt:
      withoutPrompt === null
        ? null
        : {
            id: `${idOf(graded)}-without`,
            title: 'Without the prompt',
            passed: withoutPrompt.results.filter(({ failure }) => failure === null).length,
            ask: recorded.withoutPrompt?.ask ?? null,
            missed: missedWithoutPrompt(graded),
            answer: withoutPrompt.answer,
            html: toHtml(withoutPrompt.answer),
          },
  };
}

const ways = { api: 'Recorded through an API', command: 'Recorded with a command', pasted: 'Pasted by a person' };

function checkOf({ kind, value, why, failure, turn }: Result) {
  return { kind, value, why, failure, turn: turn ?? null };
}

/** The id of an answer in the page. Neither part has two hyphens in a row. */
function idOf({ folder, case: name }: GradedAnswer): string {
  return `proof-${folder}--${name}`;
}

/** An assistant on the web. */
interface Assistant {
  name: string;
  /** Its address without a prompt. */
  home: string;
  /** The address to append the percent-encoded prompt to; empty if it accepts none, so that pages copy the prompt. */
  prefill: string;
  /** The longest address that works reliably, in characters. */
  limit: number;
}

/** The length that every sender and recipient should support (RFC 9110, section 4.1), and that Cursor documents. */
const limit = 8000;

/** The assistants that pages can open a prompt in. */
const assistants: readonly Assistant[] = [
  { name: 'Claude', home: 'https://claude.ai/new', prefill: 'https://claude.ai/new?q=', limit },
  { name: 'ChatGPT', home: 'https://chatgpt.com/', prefill: 'https://chatgpt.com/?q=', limit },
  { name: 'Gemini', home: 'https://gemini.google.com/app', prefill: '', limit },
  { name: 'GitHub Copilot', home: 'https://github.com/copilot', prefill: 'https://github.com/copilot?prompt=', limit },
  { name: 'Perplexity', home: 'https://www.perplexity.ai/', prefill: 'https://www.perplexity.ai/search?q=', limit },
  { name: 'Cursor', home: 'https://cursor.com/', prefill: 'https://cursor.com/link/prompt?text=', limit },
];

/** All assistants on the web, those that an agent is made for first. */
function assistantsFor(runtimes: readonly string[]): Assistant[] {
  return [...assistants].sort((a, b) => Number(runtimes.includes(b.name)) - Number(runtimes.includes(a.name)));
}

/**
 * The assistants that an agent is made for, with the part of its page that uses it there: a way to install, or the buttons
 * that copy and open the prompt. `page` is the path of its page, or empty on this page.
 */
function madeFor(site: Site, document: AgentDocument, page: string): { name: string; address: string }[] {
  const ways = installTabs(site, document);
  return document.runtimes.map((name) => {
    const way = ways.find((way) => way.name === name);
    return { name, address: `${page}#${way === undefined ? 'use' : `${way.id}-way`}` };
  });
}
