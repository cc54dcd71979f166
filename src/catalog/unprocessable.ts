import { join } from 'node:path';
import { type Diagnostic, diagnose } from '../diagnostics/diagnostic.ts';
import { unprocessableAgent, unreadableAgents } from '../diagnostics/messages/files.ts';
import { visible } from '../text-safety/printable.ts';
import { pathOf } from './parse/files.ts';

/**
 * Returns the diagnostic of an agent that the program fails on. `what` is the verb for the failed step, such as "read".
 */
export function unprocessable(slug: string, what: string, error: unknown): Diagnostic {
  return diagnose({
    code: 'agent/unprocessable',
    slug,
    file: pathOf(slug, 'agent.md'),
    ...unprocessableAgent(what, visible(String(error)).slice(0, 120)),
  });
}

/** The diagnostic of a folder agents/ that cannot be read. */
export function unreadable(cwd: string, error: unknown): Diagnostic {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return diagnose({ code: 'agents/unreadable', file: 'agents', ...unreadableAgents(join(cwd), reason) });
}
