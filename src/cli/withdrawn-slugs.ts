import { textOf } from '../content/parse/files.ts';
import { scheduleIn } from '../content/parse/front-matter.ts';
import { readAgent } from '../content/read.ts';

/**
 * Maps the former slugs of withdrawn agents to their slugs. A build does not have them (C3.26), so they are read from the
 * folders of the agents. Agents without a folder in the catalog folder `cwd`, as on a server with only a build, have none.
 */
export function formerSlugsOf(withdrawn: ReadonlySet<string>, cwd: string): Map<string, string> {
  const formerSlugs = new Map<string, string>();
  for (const slug of withdrawn) {
    const bytes = readAgent(cwd, slug)?.files.find(({ name }) => name === 'agent.md')?.bytes;
    const text = bytes ? textOf(bytes) : null;
    if (text === null) continue;
    for (const former of scheduleIn(text).formerSlugs) if (withdrawn.has(former)) formerSlugs.set(former, slug);
  }
  return formerSlugs;
}
