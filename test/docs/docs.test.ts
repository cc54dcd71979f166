import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import Handlebars from 'handlebars';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Console } from '../../src/cli/console.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { createProgram } from '../../src/main.ts';
import { frontMatterSchema } from '../../src/schema/agent.ts';
import { prettyReport } from '../../src/schema/diagnostics/report.ts';
import { type JsonSchema, settingsJsonSchema } from '../../src/schema/json-schema.ts';
import { allRules, type RuleCode } from '../../src/schema/rules.ts';
import { configExtensions } from '../../src/schema/slugs.ts';
import { contentTypes } from '../../src/site/hosting/site-rules.ts';
import { outputs } from '../../src/site/index.ts';
import { templateHelpers } from '../../src/site/shared/page.ts';
import { addresses } from '../../src/site/site.ts';
import { installMarkdown, installWays } from '../../src/text/install-ways.ts';
import { bundled } from '../support/catalog.ts';
import { diagnosticsOf } from '../support/diagnose.ts';
import { editorialMistakes } from '../support/editorial-mistakes.ts';
import { type Mistake, mistakes } from '../support/mistakes/index.ts';
import { written } from '../support/written.ts';

/** Pages of docs/ that are generated from the code, so that they cannot go stale. UPDATE=1 writes them. */

function isCurrent(name: string, text: string): void {
  const file = new URL(`../../docs/${name}`, import.meta.url);
  if (process.env.UPDATE === '1') writeFileSync(file, text);
  assert.is(readFileSync(file, 'utf8'), text);
}

/** Returns the first row of the table of editorial mistakes that breaks a rule, if possible only that one. */
function editorialMistake(code: RuleCode): Mistake | undefined {
  const name = code.replace('editorial/', '');
  const rows = editorialMistakes.filter(([, , expected]) =>
    [expected].flat().some((line) => line.split(' ')[1] === name),
  );
  const row = rows.find(([, , expected]) => [expected].flat().length === 1) ?? rows[0];
  return row === undefined
    ? undefined
    : { name: row[0], code, at: '', agents: [{ slug: 'a', date: '2026-01-01', ...row[1] }] };
}

test('docs/rules.md has every rule, with an example of its report', async () => {
  const lines = [
    '# Rules',
    '',
    'Every rule that `catalog validate` checks, by its code. Codes never change. Each section states the rule, then shows the',
    'message for a catalog that breaks it.',
    '',
    '`catalog build` checks the same rules, except those in `editorial/`, which are about the writing. A build fails if the',
    'settings, a template, or an agent that it would publish has an error. It only warns about errors in other agents.',
    '',
    'The setting `rules` changes the severity of a rule, or switches it off:',
    '',
    '```json',
    '"rules": { "editorial/excerpt": "warning", "editorial/stop": "off" }',
    '```',
    '',
    'It accepts `error`, `warning` and `off`. Rules that outputs, issue numbers or the safety of readers depend on cannot be',
    'changed; their sections say so. If you change a rule outside `editorial/` to `warning`, builds warn about it.',
    '',
    'This page is generated from the program.',
  ];
  for (const { code, severity, summary, adjustable } of allRules) {
    const mistake = mistakes.find((mistake) => mistake.code === code) ?? editorialMistake(code);
    assert.ok(mistake, `no row of the table of mistakes breaks ${code}`);
    const diagnostics = (await diagnosticsOf(mistake)).filter((diagnostic) => diagnostic.code === code);
    const report = prettyReport(diagnostics, { color: false }).split('\n').slice(0, -2).join('\n');
    lines.push('', `## ${code}`, '', `**Rule:** ${summary}`, '');
    lines.push(
      `Breaking it is ${severity === 'error' ? 'an error' : 'a warning'}${adjustable ? '' : '; settings cannot change that'}. For example, ${mistake.name}:`,
      '',
      '```',
      report,
      '```',
    );
  }
  isCurrent('rules.md', `${lines.join('\n')}\n`);
});

test('docs/agents.md has a row for every field of the front matter, which says whether it is required', () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| key | required | value |\n');
  const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \| (yes|no) \| \S/gm)];
  const fields = Object.entries(frontMatterSchema({ categories: null, difficulties: null, runtimes: null }).shape);
  assert.equal(
    rows.map(([, key, required]) => `${key}: ${required}`).sort(),
    fields.map(([key, schema]) => `${key}: ${schema.safeParse(undefined).success ? 'no' : 'yes'}`).sort(),
  );
});

test('docs/agents.md names every format that a config can have', () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  assert.match(page, `${configExtensions.slice(0, -1).join(', ')} or ${configExtensions.at(-1)}.`);
});

test('docs/install.md has the ways to install of the program, for an agent and for the catalog', () => {
  const site = 'https://agents.example.com';
  const source = {
    title: 'Daily Agent Catalog',
    site,
    mcp: `${site}/api/mcp`,
    repository: 'https://github.com/OWNER/REPOSITORY',
  };
  const agent = { slug: 'claim-ladder', promptUrl: `${site}/agents/claim-ladder/prompt.txt` };
  const page = readFileSync(new URL('../../docs/install.md', import.meta.url), 'utf8');
  const part = (name: string, text: string) =>
    [
      new RegExp(`(<!-- ${name}: .*-->\\n)[^]*?(?=<!-- end -->)`),
      (_: string, start: string) => `${start}\n${text}\n\n`,
    ] as const;
  const current = page
    .replace(...part('agent', installMarkdown(installWays(source)(agent))))
    .replace(...part('catalog', installMarkdown(installWays(source)(null))));
  isCurrent('install.md', current);
});

test('docs/outputs.md has every output', () => {
  const rows = outputs.map(({ path, purpose }) => {
    const type = contentTypes[path];
    return `| \`${path}\` | ${typeof type === 'string' ? `\`${type}\`` : 'by extension'} | ${purpose} |`;
  });
  const lines = [
    '# Outputs',
    '',
    'Every file that `catalog build` writes, in order. The last file, `build.json`, has the id of the build; when it changes,',
    'the server switches to the new build. A page with a folder of the same name, such as `agents/{slug}.html`, is also in that',
    'folder, as `index.html`: its address works with and without a slash at the end. This page is generated from the program.',
    '',
    '| path | type | what it is |',
    '|---|---|---|',
    ...rows,
  ];
  isCurrent('outputs.md', `${lines.join('\n')}\n`);
});

test('docs/commands.md has the help of every command', async () => {
  const out = new PassThrough();
  const program = await createProgram(new Console(out, new PassThrough(), {}));
  const helpOf = (command: Command) => {
    command.configureOutput({ getOutHelpWidth: () => 80 }).outputHelp();
    return ['```', written(out).trim(), '```'];
  };
  const lines = [
    '# Commands',
    '',
    'The help of every command, as `npx --no daily-agent-catalog <command> --help` prints it. Exit codes: 0 success, 1 an error in the',
    'catalog or at run time, 2 wrong usage. Results go to stdout, messages to stderr. This page is generated from the',
    'program.',
    '',
    ...helpOf(program),
  ];
  const add = (command: Command, name: string) => {
    lines.push('', `## ${name}`, '', ...helpOf(command));
    for (const each of command.commands) if (each.name() !== 'help') add(each, `${name} ${each.name()}`);
  };
  for (const command of program.commands) add(command, command.name());
  isCurrent('commands.md', `${lines.join('\n')}\n`);
});

test('docs/templates.md names every template, partial and helper', () => {
  const page = readFileSync(new URL('../../docs/templates.md', import.meta.url), 'utf8');
  const partials = readdirSync(new URL('../../templates/partials', import.meta.url)).map((name) => name.slice(0, -4));
  const templates = readdirSync(new URL('../../templates', import.meta.url)).filter((name) => name.endsWith('.hbs'));
  const settings = loadSettings(bundled, {}, {});
  const helpers = Object.keys(templateHelpers(settings, addresses(settings), new Map()));
  const first = [...page.matchAll(/^\| (.+?) \| /gm)].map(([, cell = '']) => cell).join('\n');
  for (const name of [...templates, ...partials]) assert.match(first, `\`${name}\``);
  for (const name of helpers) assert.match(first, `{{${name} `);
});

test('docs/templates.md names every value that a template uses itself, unless the contract does', () => {
  const words = ['templates.md', 'contract.md']
    .flatMap((name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8').split('\n'))
    .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/[^\w-]+/)));
  const templates = new URL('../../templates/', import.meta.url);
  const unnamed = readdirSync(templates)
    .filter((name) => name.endsWith('.hbs'))
    .flatMap((name) =>
      [...valuesIn(Handlebars.parse(readFileSync(new URL(name, templates), 'utf8')))]
        .filter((value) => !words.includes(value))
        .map((value) => `${name}: ${value}`),
    );
  assert.equal(unnamed, []);
});

/** The first names of the values in a part of a parsed template, without those of data, such as `@index`. */
function valuesIn(part: unknown): Set<string> {
  if (typeof part !== 'object' || part === null) return new Set();
  const { type, data, parts } = part as Partial<hbs.AST.PathExpression>;
  if (type === 'PathExpression') return new Set(data === true ? [] : parts?.slice(0, 1));
  return new Set(Object.values(part).flatMap((child) => [...valuesIn(child)]));
}

test('docs/settings.md has every setting, with its limits and its default', () => {
  const example = readFileSync(new URL('../../starter/catalog.config.json', import.meta.url), 'utf8').trim();
  const lines = [
    '# Settings',
    '',
    'The settings of a catalog are in `catalog.config.json`, in the folder of the catalog. `catalog validate` checks them. If',
    '`$schema` points to the `catalog.config.schema.json` of the program, your editor also completes and checks them.',
    '',
    'This page is generated from the program.',
    '',
    '| setting | value | default | meaning |',
    '|---|---|---|---|',
    ...settingRows(settingsJsonSchema()),
    '',
    'Two settings have to be right before the first agent is published: `baseUrl`, since every link starts with it, and',
    '`feedId`. `feedId` looks like `tag:<your domain>,<a day on which you owned it>:<any name>` and never changes, even',
    'when the site moves; otherwise feed readers show every agent again.',
    '',
    "The program's templates are in English, so for another `language`, translate [the templates](templates.md) too. Texts that are",
    'in no template stay English, such as the navigation, the titles of pages, the filters of the archive, the ways to install, the',
    'pages and messages that answer forms and links in emails, messages of the search, the email that asks readers to confirm, the',
    'plain text of emails, and texts for programs. In another language, `catalog validate` leaves out the rules that look for English',
    'words.',
    '',
    "If you change `timezone` to one in which it is still the day before, today's agent is not on the site until midnight there.",
    '',
    'The environment variable `CATALOG_BASE_URL` overrides `baseUrl`, and the flag `--base-url` overrides both. In the same way,',
    '`CATALOG_RUNTIME_URL` and `--runtime-url` override `runtimeUrl`. `catalog serve --build` ignores `baseUrl`: without the',
    'flag or the variable, it uses `http://localhost:<port>`. The settings of the server itself, such as its port, are flags and',
    'variables of [`catalog serve`](commands.md#serve).',
    '',
    'These are the settings that `catalog init` starts from. In your catalog, it sets `$schema` to the path of the installed',
    'program:',
    '',
    '```json',
    example,
    '```',
  ];
  isCurrent('settings.md', `${lines.join('\n')}\n`);
});

/** Makes a row for each setting of an object, followed by the rows of its nested settings. */
function settingRows(object: JsonSchema, prefix = ''): string[] {
  const required = object.required as string[];
  return Object.entries(object.properties as Record<string, JsonSchema>).flatMap(([key, setting]) => {
    const name = `${prefix}${key}`;
    const absent = required.includes(key) ? 'required' : 'optional';
    const fallback = 'default' in setting ? `\`${JSON.stringify(setting.default)}\`` : absent;
    const row = `| \`${name}\` | ${kindOf(setting)} | ${fallback} | ${setting.description} |`;
    // The page of the rules has a section for each key of `rules`.
    if (setting.properties !== undefined && key !== 'rules') return [row, ...settingRows(setting, `${name}.`)];
    if (typeof setting.additionalProperties !== 'object') return [row];
    return [row, ...settingRows(setting.additionalProperties as JsonSchema, `${name}.<key>.`)];
  });
}

/** Describes the valid values of a setting in a few words. */
function kindOf({ type, format, minimum, maximum, maxLength, items, anyOf, ...rest }: JsonSchema): string {
  if (Array.isArray(rest.enum)) return rest.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (Array.isArray(anyOf)) return anyOf.map(kindOf).join(' or ');
  if (type === 'array') return `list; each: ${kindOf(items as JsonSchema)}`;
  if (type === 'integer') return `whole number from ${minimum} to ${maximum}`;
  if (type === 'null') return '`null`';
  if (format === 'uri') return 'address';
  if (format === 'email') return 'email address';
  if (type !== 'string') return 'object';
  if (maxLength === undefined) return 'text';
  return `${JSON.stringify(rest).includes('"^\\\\S') ? 'one line' : 'text'} of at most ${maxLength} characters`;
}

test.run();
