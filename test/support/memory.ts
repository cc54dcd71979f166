import { type Content, checkContent } from '../../src/content/load.ts';
import type { ParsedFolder } from '../../src/content/parse/parse.ts';
import { findingsAcross } from '../../src/content/rules/across.ts';
import { editorialFindings } from '../../src/content/rules/index.ts';
import { sortDiagnostics } from '../../src/schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';
import { type RuleSettings, withRules } from '../../src/schema/rules.ts';
import { type SmallAgent, smallAgent, smallSettings } from './catalog.ts';

/** Catalogs of small agents that are checked without writing them to a disk. */

/** What a catalog of these agents holds, and what is wrong with its structure. */
export function contentOf(agents: readonly SmallAgent[], today: string, settings = smallSettings): Content {
  const folders = agents.map((agent) => ({
    slug: agent.slug,
    files: Object.entries(smallAgent(agent)).map(([name, content]) => ({
      name,
      bytes: Buffer.from(content),
      problem: null,
    })),
    problem: null,
  }));
  return checkContent(folders, settings, today);
}

/** What `catalog validate` finds in an agent, except what only rendering or Git can show. */
export function findingsIn(agent: SmallAgent, more: { language?: string } = {}): Diagnostic[] {
  const settings = { ...smallSettings, ...more };
  const { folders, diagnostics } = contentOf([agent], agent.date, settings);
  const writing = folders.flatMap((folder) => editorialFindings(folder, settings.language));
  return sortDiagnostics([
    ...diagnostics,
    ...withRules([...writing, ...findingsAcross(folders)], settings.rules as RuleSettings),
  ]);
}

/** What is wrong with the structure of one agent, each as `file:line:column code message ~ hint`. */
export function structuralRemarks(change: Partial<SmallAgent>): string[] {
  const { diagnostics } = contentOf([{ slug: 'one', date: '2026-01-01', ...change }], '2026-01-01');
  return diagnostics.map(
    ({ file, line, column, code, message, hint }) =>
      `${file.slice('agents/one/'.length)}:${line}:${column} ${code} ${message} ~ ${hint}`,
  );
}

/** What the rules about writing find in one agent, each as `rule file:line:column message`. */
export function writingRemarks({ front, files = {} }: Partial<SmallAgent>, language = 'en'): string[] {
  const folder = written(front ?? {});
  if (folder.written === null) throw new Error(JSON.stringify(folder.diagnostics, null, 2));
  // The front matter is the costly part to read, and most changes are in the other files.
  const texts = new Map([...folder.texts(), ...(Object.entries(files) as [string, string][])]);
  const text = (name: string) => texts.get(name) ?? '';
  const long = {
    ...folder.written.texts(),
    prompt: text('prompt.txt'),
    sampleInput: text('sample-input.txt'),
    sampleOutput: text('sample-output.txt'),
  };
  const agent = { ...folder.written, texts: () => long };
  return editorialFindings({ ...folder, texts: () => texts, written: agent }, language).map(
    ({ code, file, line, column, message }) =>
      `${code.slice('editorial/'.length)} ${file.slice('agents/a/'.length)}:${line}:${column} ${message}`,
  );
}

const parsed = new Map<string, ParsedFolder>();

function written(front: NonNullable<SmallAgent['front']>): ParsedFolder {
  const key = JSON.stringify(front);
  const folder = parsed.get(key) ?? contentOf([{ slug: 'a', date: '2026-01-01', front }], '2026-01-01').folders[0];
  parsed.set(key, folder as ParsedFolder);
  return folder as ParsedFolder;
}
