import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog, writeFiles } from './catalog.ts';
import { type Discussion, newDiscussion, serveForge } from './forge-api.ts';
import { catalog } from './process.ts';
import { formPath, formText } from './proposal.ts';
import { today } from './scaffold.ts';

/** Forms that are submitted to `catalog ci intake`, and what becomes of them. */

export interface Taken {
  /** The files of the draft, by path in agents/; empty if there is none. */
  files: Record<string, string>;
  said: string;
  comment: string;
  pull: Discussion['pulls'][number] | undefined;
}

/** Runs `catalog ci intake` for a GitHub issue, in a catalog with one agent. */
export function submit(
  body: string,
  { form = formText, discussion = newDiscussion(), settings = {} } = {},
): Promise<Taken> {
  return inFolder(async (folder) => {
    const server = await serveForge(folder, discussion);
    try {
      const { port } = server.address() as AddressInfo;
      const { code, stdout, stderr } = await intake(
        folder,
        body,
        form,
        ['--reply', 'pushed'],
        {
          GITHUB_API_URL: `http://127.0.0.1:${port}/api`,
          GITHUB_REPOSITORY: 'press/catalog',
          GITHUB_TOKEN: 'token-of-the-job',
        },
        settings,
      );
      assert.is(code, 0, stderr);
      assert.equal(readdirSync(folder).sort(), ['.github', 'agents', 'catalog.config.json', 'event.json']);
      const all = Object.entries(snapshot(join(folder, 'agents')));
      return {
        files: Object.fromEntries(all.filter(([path]) => !path.startsWith('taken/'))),
        said: stdout + stderr,
        comment: discussion.comments.map((each) => each.body).join('\n'),
        pull: discussion.pulls[0],
      };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

export function intake(
  folder: string,
  body: string,
  form: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  settings = {},
) {
  const event = { issue: { number: 7, body }, repository: { default_branch: 'main' } };
  writeCatalog(folder, [{ slug: 'taken', date: today }], settings);
  const checklist = { '.github/PULL_REQUEST_TEMPLATE.md': '- [ ] Checked\n' };
  writeFiles(folder, { ...checklist, [formPath]: form, 'event.json': JSON.stringify(event) });
  const own = { GITHUB_EVENT_PATH: join(folder, 'event.json'), ...env };
  return catalog(['ci', 'intake', '--cwd', folder, '--today', today, ...args], { env: own });
}

/** Markdown as GitHub shows it. */
export function unescaped(text: string): string {
  const marks = text.replaceAll('&#46;', '.').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  return marks.replace(/\\(?=[^\w\s])/g, '');
}

/** Checks what must hold whatever was submitted: strangers mention nobody, link nowhere, and run no command. */
export function assertHarmless({ files, said, comment, pull }: Taken): void {
  const [slug] = Object.keys(files).map((path) => path.replace(/\/.*/, ''));
  assert.not.match(said, /^::/m);
  if (slug !== undefined) {
    assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    const names = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'];
    assert.equal(
      Object.keys(files).sort(),
      names.map((name) => `${slug}/${name}`),
    );
    assert.match(files[`${slug}/agent.md`] ?? '', /^draft: true$/m);
    assert.not.match(files[`${slug}/agent.md`] ?? '', /^(?:issue|withdrawn|formerSlugs|<)/m);
  }
  const outsideFences = (text: string) => text.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
  for (const text of [comment, outsideFences(pull?.body ?? '')]) {
    assert.not.match(text, /@\w|<script|\]\(|<img|evil\.example/i);
  }
}
