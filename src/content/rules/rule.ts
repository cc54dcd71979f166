import { onceForEach } from '../../lib/lazy.ts';
import type { Agent, AgentTexts } from '../../schema/agent.ts';
import { type Location, located, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import {
  type LocationOf,
  locationsInFrontMatter,
  locationsInYaml,
  type Path,
} from '../../schema/diagnostics/yaml-location.ts';
import type { RuleCode } from '../../schema/rules.ts';
import { type Line, linesOf, type Section, type SectionName, sectionsOf } from '../../text/prompt-text.ts';

/** A finding of a rule: the file in the agent folder, the location, the problem and the fix. */
export interface Remark extends Wording {
  file: string;
  location: Location;
}

/**
 * Rules about the writing of one agent, by their codes. They report only what a program can decide, and leave the rest to
 * the reviewer.
 */
export type EditorialRules = { [Code in RuleCode & `editorial/${string}`]?: (view: AgentView) => Remark[] };

/** An agent as the rules see it, which makes their remarks. */
export class AgentView {
  readonly agent: Agent & AgentTexts;
  /** The texts of its files by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The sections of the prompt. */
  readonly prompt: Record<SectionName, PromptSection>;
  /** Returns a function that finds locations in a YAML or JSON file. */
  readonly locationsIn: (file: string) => LocationOf;
  /** Whether the catalog is in English. Rules that look for English words report nothing otherwise. */
  readonly english: boolean;

  /** The agent is well-formed, and its prompt has each section once. `language` is the language of the catalog (BCP 47). */
  constructor(agent: Agent, texts: ReadonlyMap<string, string>, language: string) {
    this.agent = { ...agent, ...agent.texts() };
    const { prompt } = this.agent;
    const sections = sectionsOf(prompt).map((section) => [section.name, readSection(prompt, section)]);
    this.texts = texts;
    this.prompt = Object.fromEntries(sections);
    this.locationsIn = onceForEach((file) => locationsInYaml(texts.get(file) ?? ''));
    this.english = /^en\b/i.test(language);
  }

  /** Makes a remark about the heading line of a section. */
  atHeading(name: SectionName, wording: Wording): Remark {
    return this.inPrompt(this.prompt[name].start, this.agent.prompt.length, wording);
  }

  /** Makes a remark about a range of the prompt. */
  inPrompt(offset: number, length: number, wording: Wording): Remark {
    return located(this.agent.prompt, offset, length, { file: 'prompt.txt', ...wording });
  }

  /** Makes a remark about a range of a file. */
  inFile(file: string, offset: number, length: number, wording: Wording): Remark {
    return located(this.texts.get(file) ?? '', offset, length, { file, ...wording });
  }

  /** Makes a remark about a value in the front matter. */
  inFrontMatter(path: Path, wording: Wording): Remark {
    return { file: 'agent.md', location: locationsInFrontMatter(this.texts.get('agent.md') ?? '')(path), ...wording };
  }

  /** Makes a remark about a key in a YAML or JSON file. */
  atKey(file: string, path: Path, wording: Wording): Remark {
    return { file, location: this.locationsIn(file)(path, { key: true }), ...wording };
  }
}

interface PromptSection extends Section {
  /** The rest of the heading line after the name, such as `(at most 40 lines)`. */
  heading: string;
  /** The lines of its body. Their offsets are in the prompt. */
  lines: Line[];
  /** Its top-level list items or, if it has none, each of its lines. */
  items: PromptItem[];
}

interface PromptItem {
  /** The first line without its number or bullet. */
  text: string;
  /** The first line and those that continue it. */
  lines: Line[];
}

function readSection(prompt: string, section: Section): PromptSection {
  const bodyStart = section.end - section.body.length;
  const lines = linesOf(section.body).lines.map((line) => ({ ...line, offset: bodyStart + line.offset }));
  const headingLine = prompt.slice(section.start, section.end).split('\n', 1)[0] ?? '';
  const heading = headingLine.slice(headingLine.indexOf(section.name) + section.name.length).trim();
  return { ...section, heading, lines, items: itemsOf(lines) };
}

/**
 * Whether a section has no text, neither in its heading line nor below it. Other rules then report nothing about it.
 */
export function isEmpty({ heading, body }: PromptSection): boolean {
  return body.trim() === '' && !/[\p{L}\p{N}]/u.test(heading);
}

const marker = /^(\s*)(?:[A-Za-z]?\d+[.):]|[-*+•])\s+/;

function itemsOf(lines: readonly Line[]): PromptItem[] {
  const marks = lines.map(({ text, fenced }) => (fenced ? null : marker.exec(text)));
  const first = marks.find((mark) => mark !== null);
  if (first == null) {
    return lines
      .filter(({ text, fenced }) => text.trim() !== '' && !fenced)
      .map((line) => ({ text: line.text, lines: [line] }));
  }
  const depth = first[1]?.length ?? 0;
  const items: PromptItem[] = [];
  let open = false;
  for (const [index, line] of lines.entries()) {
    const mark = marks[index];
    if (mark != null && (mark[1]?.length ?? 0) <= depth) {
      items.push({ text: line.text.slice(mark[0].length), lines: [line] });
      open = true;
    } else if (line.text.trim() === '') open = false;
    else if (open) items.at(-1)?.lines.push(line);
  }
  return items;
}
