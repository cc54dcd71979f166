import { join } from 'node:path';
import { type Diagnostic, diagnose } from '../diagnostics.ts';
import { onDefaultBranch } from '../git/default-branch.ts';
import { frontMatterSchema } from '../schema/front-matter.ts';
import type { Vocabulary } from '../schema/settings.ts';
import { checkTogether, type PublishedNumber } from './calendar-rules.ts';
import { pathOf } from './files.ts';
import { guessStanding, type ParsedFolder, parseFolder } from './parse.ts';
import { readAgents, type SourceFolder } from './read.ts';

/** All folders of a catalog with everything that is structurally wrong with them, alone and together. */
export interface Content {
  folders: ParsedFolder[];
  diagnostics: Diagnostic[];
}

/** Reads and checks every folder below `cwd`/agents. `today` is the earliest date that messages propose. */
export function loadContent(cwd: string, vocabulary: Vocabulary, today: string): Content {
  let sources: SourceFolder[];
  try {
    sources = readAgents(cwd);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    const unreadable = diagnose({
      code: 'agents/unreadable',
      file: 'agents',
      message: `The folder agents/ in ${join(cwd)} cannot be read (${reason}).`,
      hint: 'It has to be a folder with one folder for each agent.',
    });
    return { folders: [], diagnostics: [unreadable] };
  }
  return checkContent(sources, vocabulary, today, (slug) => publishedNumber(cwd, slug));
}

/** The same for folders that are already read. */
export function checkContent(
  sources: readonly SourceFolder[],
  vocabulary: Vocabulary,
  today: string,
  published?: PublishedNumber,
): Content {
  const schema = frontMatterSchema(vocabulary);
  const folders = sources.map((source) => parseFolder(source, schema));
  return {
    folders,
    diagnostics: [...folders.flatMap(({ diagnostics }) => diagnostics), ...checkTogether(folders, today, published)],
  };
}

function publishedNumber(cwd: string, slug: string): ReturnType<PublishedNumber> {
  const found = onDefaultBranch(cwd, pathOf(slug, 'agent.md'));
  return found === null ? null : { issue: guessStanding(found.text).issue, branch: found.branch };
}
