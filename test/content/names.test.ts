import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { editorialFindings } from '../../src/content/rules/index.ts';
import { front, prompt } from '../support/editorial-mistakes.ts';
import { contentOf, structuralRemarks, writingRemarks } from '../support/memory.ts';

/** Names that are recognized: products of vendors in a prompt, and files that do not belong to an agent. */

const products: [runtime: string, names: string[]][] = [
  ['Claude', ['Claude Code', 'Claude Desktop', 'Claude Project', 'Claude Projects', 'Claude Artifact', 'CLAUDE.md']],
  ['ChatGPT', ['ChatGPT', 'Code Interpreter', 'DALL-E', 'DALL·E', 'GPT-4', 'Codex CLI']],
  [
    'none',
    ['Gemini CLI', 'Gemini Gem', 'Gemini Gems', 'NotebookLM', 'GitHub Copilot', 'Copilot Chat', 'Copilot Studio'],
  ],
  ['none', ['Copilot Workspace', 'copilot-instructions.md', '.cursorrules', 'Cursor Composer', 'Cursor Rules']],
];
test('portable reports a slug that Claude refuses as the name of a skill, and no other', () => {
  const slugs = ['claude-tips', 'my-anthropic', 'claud-nine'];
  const { folders } = contentOf(
    slugs.map((slug, index) => ({ slug, date: `2026-01-0${index + 1}` })),
    '2026-01-09',
  );
  const found = folders.flatMap((folder) =>
    editorialFindings(folder, 'en').map(({ file, line, message }) => `${file}:${line} ${message}`),
  );
  assert.equal(found, [
    'agents/claude-tips/agent.md:2 The folder name contains "claude", so Claude refuses the agent as a skill.',
    'agents/my-anthropic/agent.md:2 The folder name contains "anthropic", so Claude refuses the agent as a skill.',
  ]);
});

test('the name of a folder has at most 64 characters', () => {
  const { diagnostics } = contentOf(
    [64, 65].map((length) => ({ slug: 'x'.repeat(length), date: `2026-01-${length - 50}` })),
    '2026-01-09',
  );
  assert.equal(
    diagnostics.map(({ code, slug }) => `${code} ${slug?.length}`),
    ['folder/name 65'],
  );
});

for (const [runtime, names] of products) {
  for (const name of names) {
    test(`portable reports ${name} in an agent that is not only for its vendor`, () => {
      const others = ['Claude', 'ChatGPT'].filter((other) => other !== runtime);
      const change = {
        ...prompt('Find the rows', `In ${name}, find the rows`),
        ...front('runtimes', '[Claude, ChatGPT]'),
      };
      const message = `The prompt names ${name}, but the agent is also for ${others.join(', ')}.`;
      assert.equal(writingRemarks(change), [`portable prompt.txt:1:4 ${message}`]);
    });
  }
}

const backup = (file: string) => `It looks like a backup copy of ${file}: delete it.`;
const picture = 'Remove it: an agent has no pictures, only text that people read and paste.';
const system = 'The operating system created it. Delete it, and add it to .gitignore.';
const other =
  'An agent has agent.md, prompt.txt, sample-input.txt, sample-output.txt, and optionally config.<ext> and the folder evals/. Rename or remove this file.';
const strangers: [hint: string, names: string][] = [
  [
    backup('agent.md'),
    'Copy of agent.md/agent.md.orig/#agent.md#/agent.md.rej/agent.md.save/agent.md.swo/agent-backup.md',
  ],
  [
    backup('agent.md'),
    'agent.old/agent.md.1/agent kopie.md/AGENT copia.md/agent.md.tmp/agent (copy 2).md/agent - Copie.md',
  ],
  [backup('prompt.txt'), 'prompt.txt~/prompt.txt.bak/prompt (3).txt/prompt.old.txt'],
  [picture, 'a.png/a.jpg/a.jpeg/a.gif/a.webp/a.avif/a.svg/a.heic/a.bmp/a.tif/a.tiff/a.PDF'],
  [system, 'Thumbs.db/ehthumbs.db/desktop.ini'],
  [
    other,
    'agentic.md/my agent notes.md/png/a.png.txt/thumbs.db.txt/configs.json/my-config.json/config.tar.gz/agent.md.zip',
  ],
];
for (const [hint, names] of strangers) {
  test(`the kind of an unknown file is recognized: ${hint.slice(0, 40)} ${names.slice(0, 20)}`, () => {
    for (const name of names.split('/')) {
      const message = `${name}:1:1 folder/unknown-file ${name} does not belong in the folder of an agent. ~ ${hint}`;
      assert.equal(structuralRemarks({ files: { [name]: 'x\n' } }), [message]);
    }
  });
}

test.run();
