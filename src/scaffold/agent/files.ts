import * as placeholders from '../../catalog/parse/placeholders.ts';
import type { FrontMatter } from '../../schema/front-matter.ts';
import type { Answers } from './answers.ts';

/** Where an imported prompt comes from: `source` in the front matter. */
export type Origin = NonNullable<FrontMatter['source']>;

/** The files of a new agent by name, in the order in which an editor fills them in. */
export function agentFiles(answers: Answers, source: Origin | null = null): Map<string, string> {
  const config = answers.config === null ? null : `config.${answers.config}`;
  const files = new Map([
    ['agent.md', agentMarkdown(answers, source)],
    ['prompt.txt', placeholders.prompt(config)],
    ['sample-input.txt', placeholders.sampleInput(config)],
    ['sample-output.txt', placeholders.sampleOutput],
  ]);
  if (config !== null) files.set(config, placeholders.config(answers.config ?? ''));
  return files;
}

/** Returns agent.md. It is a draft, so that its placeholders are not published automatically on its date. */
function agentMarkdown(
  { title, date, category, tags, keywords, difficulty, runtimes, excerpt, problem }: Answers,
  source: Origin | null,
): string {
  const origin = Object.entries({ ...source }).map(([key, value]) => `\n  ${key}: ${yamlText(String(value))}`);
  return `---
title: ${yamlText(title)}
date: ${date}
draft: true
category: ${yamlText(category)}
tags: ${yamlList(tags)}${keywords === null ? '' : `\nkeywords: ${yamlList(keywords)}`}
difficulty: ${yamlText(difficulty)}
runtimes: ${yamlList(runtimes)}
excerpt: ${yamlText(excerpt ?? placeholders.excerpt)}
problem: ${yamlText(problem ?? placeholders.problem)}${origin.length === 0 ? '' : `\nsource:${origin.join('')}`}
steps:
${placeholders.steps.map(({ name, text }) => `  - name: ${yamlText(name)}\n    text: ${yamlText(text)}`).join('\n')}
demo:
${placeholders.demo
  .map(
    ({ second, label, detail }) =>
      `  - second: ${second}\n    label: ${yamlText(label)}\n    detail: ${yamlText(detail)}`,
  )
  .join('\n')}
---
${placeholders.howItWorks}`;
}

/**
 * Writes one line of text as a YAML scalar: without quotes if every parser of YAML 1.1 and 1.2 reads it unchanged, and
 * otherwise in double quotes. JSON escapes are valid there (YAML 1.2, section 7.3.1).
 */
function yamlText(text: string): string {
  const bare = /^\p{L}[\p{L}\p{N} ,.()'/-]*$/u.test(text) && !text.endsWith(' ');
  return bare && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text);
}

function yamlList(texts: readonly string[]): string {
  return `[${texts.map((text) => (text.includes(',') ? JSON.stringify(text) : yamlText(text))).join(', ')}]`;
}
