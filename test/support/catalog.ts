import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goodDemo, goodPrompt, goodSampleInput, goodSampleOutput, goodSteps } from './good-agent.ts';
import { sharedFolder } from './make-once.ts';

/** The catalog that comes with the program. */
export const bundled = fileURLToPath(new URL('../../', import.meta.url));

/** Creates an empty folder; `remove` deletes it with its content. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'catalog-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs `use` with a new empty folder, and removes it. */
export async function inFolder<Result>(use: (folder: string) => Promise<Result> | Result): Promise<Result> {
  const { path, remove } = temporaryFolder();
  try {
    return await use(path);
  } finally {
    remove();
  }
}

/** Settings of a small catalog. */
export const smallSettings = {
  title: 'Small Catalog',
  tagline: 'Prompts for tests',
  description: 'A catalog for tests.',
  language: 'en',
  timezone: 'UTC',
  publisher: { name: 'Test Press', url: 'https://press.example' },
  feedId: 'tag:press.example,2026:catalog',
  baseUrl: 'https://press.example',
  categories: {
    coding: { label: 'Coding', description: 'Programs.' },
    writing: { label: 'Writing', description: 'Texts.' },
  },
  difficulties: ['easy', 'medium', 'hard'],
  // Small agents share a prompt.
  rules: { 'editorial/near-duplicate': 'off' },
  runtimes: ['Claude', 'ChatGPT'],
};

export interface SmallAgent {
  slug: string;
  date: string;
  /** Lines of front matter to add, or to replace the line with the same key; null removes the key. */
  front?: Record<string, string | null>;
  /** Files to add or to replace; null removes a file. */
  files?: Record<string, string | Uint8Array | null>;
  /** How it works, in Markdown. @default a sentence */
  howItWorks?: string;
}

/** The lines of front matter that a small agent has, by key. */
function frontMatter({ slug, date }: SmallAgent): Record<string, string> {
  return {
    title: `The ${slug} agent`,
    date,
    category: 'coding',
    tags: '[testing, small]',
    difficulty: 'easy',
    runtimes: '[Claude]',
    excerpt: `Checks that the catalog can hold an agent called ${slug} and nothing else.`,
    problem:
      'Ada maintains a catalog and needs a small agent that is well-formed, so that a test can break it in one place.',
    steps: goodSteps,
    demo: goodDemo,
  };
}

/** The files of a small agent that is valid, including the editorial rules. */
export function smallAgent(agent: SmallAgent): Record<string, string | Uint8Array> {
  const { howItWorks = 'It works as small agents do.' } = agent;
  const lines = { ...frontMatter(agent), ...agent.front };
  const front = Object.entries(lines).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
  const files: Record<string, string | Uint8Array | null> = {
    'agent.md': `---\n${front.join('\n')}\n---\n${howItWorks}\n`,
    'prompt.txt': goodPrompt,
    'sample-input.txt': goodSampleInput,
    'sample-output.txt': goodSampleOutput,
    ...agent.files,
  };
  return Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string | Uint8Array] => entry[1] !== null),
  );
}

/** Writes a catalog of small agents into a folder. */
export function writeCatalog(folder: string, agents: SmallAgent[], settings: object = {}): void {
  writeFiles(folder, { 'catalog.config.json': JSON.stringify({ ...smallSettings, ...settings }, null, 2) });
  for (const agent of agents) writeFiles(join(folder, 'agents', agent.slug), smallAgent(agent));
}

export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** Copies the bundled catalog, or some of its agents, without its program. */
export function copyBundled(folder: string, agents: readonly string[] = ['']): void {
  for (const path of ['catalog.config.json', ...agents.map((slug) => join('agents', slug))])
    cpSync(join(bundled, path), join(folder, path), { recursive: true });
}

/**
 * Returns a folder with the bundled catalog without its recorded answers: do not change it. To check the answers takes
 * nearly all of the time of reading the catalog.
 */
export function bundledTexts(): string {
  return sharedFolder('bundled texts', (folder) => {
    copyBundled(folder);
    for (const slug of readdirSync(join(folder, 'agents')))
      rmSync(join(folder, 'agents', slug, 'evals'), { recursive: true, force: true });
  });
}

/** Reads every file below a folder as latin1 text, so that two folders can be compared. */
export function snapshot(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    entries
      .map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path, 'latin1')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
