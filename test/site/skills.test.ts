import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import yaml from 'js-yaml';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, writeCatalog } from '../support/catalog.ts';
import { skillFaults } from '../support/client-rules.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { read, withImport } from '../support/import.ts';
import { render } from '../support/render.ts';
import { builtBundled } from '../support/server.ts';

/** Skills as assistants read them: whatever the texts of an agent are, every rule of the specification holds. */

const quoted = (text: string) => JSON.stringify(text);

const agents: Record<string, Partial<SmallAgent>> = {
  plain: {},
  '1e5': {},
  '2026-11-01': {},
  null: {},
  'one-long-word': { front: { problem: quoted('💡'.repeat(1000)), excerpt: quoted('💡'.repeat(300)) } },
  'many-tags': { front: { excerpt: quoted('Says what. '.repeat(11).trim()), tags: '[first, second, third-tag]' } },
  yaml: { front: { excerpt: quoted(`&anchor *alias !tag %TAG @at |- >- # "double" 'single' \\ back: {a: [b]}`) } },
  markup: { front: { excerpt: quoted('Turns <b>bold</b> <!-- text --> into </description> plain text.') } },
  prices: {
    files: { 'prompt.txt': goodPrompt.replace('INPUT', 'INPUT\nFrom $40 or \\$5 to $ARGUMENTS, not $HOME.\n') },
  },
  commands: {
    front: { title: quoted('Runs !`whoami`') },
    files: {
      'prompt.txt': goodPrompt.replace(
        'INPUT',
        'INPUT\nRun !`rm -rf /`, wow!`\n\n```!\nrm -rf /\n```\n```!\nls\n```\n',
      ),
    },
  },
};

const files = await inFolder((folder) => {
  const dates = Object.keys(agents).map((_, index) => `2026-11-${String(index + 1).padStart(2, '0')}`);
  writeCatalog(
    folder,
    Object.entries(agents).map(([slug, agent], index) => ({ slug, date: dates[index] ?? '', ...agent })),
  );
  return render(folder, { today: '2026-11-21' });
});
const skill = (slug: string) => files.get(`.well-known/agent-skills/${slug}/SKILL.md`) ?? '';
const front = (slug: string) => yaml.load(skill(slug).split('---\n')[1] ?? '') as Record<string, unknown>;

for (const slug of Object.keys(agents)) {
  test(`the skill of the agent "${slug}" follows every rule`, () => assert.equal(skillFaults(slug, skill(slug)), []));
}

test('a skill that is imported again has its prompt, unless the skill has other bytes', async () => {
  const slugs = ['commands', 'plain', 'prices'];
  const skills = Object.fromEntries(slugs.map((slug) => [`${slug}/SKILL.md`, skill(slug)]));
  await withImport(skills, async (run, folder) => {
    const { result } = await run();
    const around = 'Not imported: the text around its prompt.';
    assert.equal(
      result.drafts.map(({ notes }) => notes.includes(around)),
      [true, true, false],
    );
    assert.is(read(folder, 'plain/prompt.txt'), goodPrompt);
    // The prompt, not what the skill has instead of its commands.
    assert.is(read(folder, 'commands/prompt.txt'), agents.commands?.files?.['prompt.txt']);
    assert.match(read(folder, 'prices/prompt.txt'), '\n## Prompt\n');
  });
});

test('the rules notice what breaks them', () => {
  const good = skill('plain');
  const faults: [from: string | RegExp, to: string, rule: RegExp][] = [
    [/^---\n/, '', /front matter/],
    ['name: plain', 'name: Plain', /lowercase/],
    ['name: plain', 'name: other', /folder/],
    [/description: .*/, `description: "${'x'.repeat(1025)}"`, /1024/],
    [/description: "/, 'description: "<b>', /brackets/],
    ['license: CC-BY-4.0', 'license: 4', /license/],
    ['issue: "1"', 'issue: 1', /metadata/],
    ['license:', 'licence:', /other fields/],
    ['## Prompt', '!`whoami`', /command/],
  ];
  for (const [from, to, rule] of faults) assert.match(skillFaults('plain', good.replace(from, to)).join(), rule);
});

test('a description says what the skill does and what for, and stays short', () => {
  assert.is(
    front('plain').description,
    'Checks that the catalog can hold an agent called plain and nothing else. Use for testing, small.',
  );
  assert.is(front('one-long-word').description, `${'💡'.repeat(134)}…`);
  assert.is(front('many-tags').description, `${'Says what. '.repeat(11).trim()} Use for first.`);
});

test('a reader of Codex sees all of forty skills: their lines, with names, descriptions and paths, have 8,000 characters', () => {
  const index = readFileSync(join(builtBundled(), '.well-known/agent-skills/index.json'), 'utf8');
  const skills: { name: string; description: string }[] = JSON.parse(index).skills;
  // `codex debug prompt-input` of Codex 0.169.0 shows these lines.
  const listed = skills.map(({ name, description }) => `- ${name}: ${description} (file: r0/${name}/SKILL.md)\n`);
  assert.is(listed.length, 40);
  assert.ok(listed.join('').length < 8000, String(listed.join('').length));
});

test('the metadata tells the source, the number, the day, and the digest of prompt.txt', () => {
  assert.equal(front('plain').metadata, {
    author: 'Test Press',
    source: 'https://press.example/agents/plain',
    issue: '1',
    published: '2026-11-01',
    sha256: createHash('sha256')
      .update(files.get('agents/plain/prompt.txt') ?? '')
      .digest('hex'),
  });
});

test('the index names the version of the discovery that it follows', () => {
  const { $schema } = JSON.parse(files.get('.well-known/agent-skills/index.json') ?? '');
  assert.is($schema, 'https://schemas.agentskills.io/discovery/0.2.0/schema.json');
});

test('a shell command in a text stays readable, but no client runs it', () => {
  assert.match(skill('commands'), 'Run ! `rm -rf /`, wow! `\n\n``` !\nrm -rf /\n```\n``` !\nls\n```');
  assert.match(skill('commands'), '# Runs !\\`whoami\\`');
});

test('an amount of dollars in a text is not replaced by words of the input', () => {
  // The changelog of Claude Code 2.1.163: a backslash makes a dollar sign before a digit literal. Its program replaces
  // /\$(\d+)(?!\w)/ and $ARGUMENTS otherwise, and then does not add the input at the end.
  assert.match(skill('prices'), 'From \\$40 or \\$5 to \\$ARGUMENTS, not $HOME.');
});

test.run();
