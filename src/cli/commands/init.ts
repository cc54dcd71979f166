import { existsSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { Option } from 'commander';
import type { Answers } from '../../content/new/catalog.ts';
import { zone } from '../../lib/calendar.ts';
import { UsageError } from '../../lib/errors.ts';
import { changeByGit, firstLine, GitError, isInRepository } from '../../lib/git.ts';
import { programName, programVersion } from '../../program.ts';
import { type Console, shellWord } from '../console.ts';
import type { Questions } from '../dialog.ts';
import type { CatalogCommand, CommonFlags } from '../options.ts';

const questions: readonly (readonly [key: keyof Answers, question: string])[] = [
  ['title', 'Title: the name of the publication'],
  ['baseUrl', 'Base URL: where readers find it, such as https://<owner>.github.io/<repository>'],
  ['publisher', 'Publisher: a person or a group'],
  ['publisherUrl', 'Publisher URL: the address of the publisher'],
  ['timezone', 'Time zone: decides when a day begins, such as America/New_York or UTC'],
];

const gitQuestion = 'Make a Git repository of it, with a first commit?';

/** Asks for missing answers. Throws Cancelled when the person cancels. */
async function askForAnswers(fromFlags: Partial<Answers>, folder: string, ask: Questions): Promise<Answers> {
  const { answerChecks, complete } = await import('../../content/new/catalog.ts');
  ask.begin(`Start a new catalog in ${folder}. Enter accepts the proposed answer, Ctrl-C cancels.`);
  let answers = fromFlags;
  for (const [key, question] of questions) {
    if (answers[key] !== undefined) continue;
    const fallback = complete(answers, folder)[key];
    answers = { ...answers, [key]: await ask.line(question, fallback, (answer) => answerChecks[key](key, answer)) };
  }
  return complete(answers, folder);
}

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'>, Partial<Answers> {
  package?: string;
  git?: true;
}

export function addInit(program: CatalogCommand, terminal: Console): void {
  program
    .command('init')
    .description('start a new catalog: settings, an example agent, package.json, workflows')
    .argument('[dir]', 'folder to create it in; default: this folder')
    .option('--title <text>', 'name of the publication; default: from the folder name')
    .addOption(new Option('--base-url <url>', 'public address of the site').default(undefined, 'https://example.com'))
    .option('--publisher <name>', 'who publishes it; default: the title')
    .option('--publisher-url <url>', 'address of the publisher; default: the base URL')
    .option(
      '--package <spec>',
      'this program in package.json: a version, an address or a file; default: its version if npm installed it from a registry, otherwise a copy in vendor/',
    )
    .addOption(new Option('--cwd <dir>', 'folder that [dir] is relative to').default('.', 'this folder'))
    .option(
      '--timezone <name>',
      'time zone that decides when a day begins, such as Europe/Berlin; default: the one of this machine',
    )
    .option('--git', 'make a Git repository with a first commit; in a terminal, it asks')
    .share('today')
    .formats('pretty', 'json')
    .explain(
      '\nIn a terminal it asks for anything you leave out; elsewhere, and with --format json, it uses the defaults.\n' +
        'An existing package.json only gets its missing entries. If another file would be overwritten, nothing is written.\n' +
        '\nExamples:\n  $ catalog init my-catalog\n' +
        '  $ catalog init . --title "Prompts of the Day" --base-url https://prompts.example.org --publisher "Ada Press"\n',
    )
    .action((dir: string | undefined, flags: Flags) => makeCatalog(dir, flags, terminal));
}

async function makeCatalog(dir: string | undefined, flags: Flags, terminal: Console): Promise<void> {
  const { checkFlags } = await import('../../content/new/agent.ts');
  const { canAsk, conversation } = await import('../dialog.ts');
  const { answerChecks, complete, placeholderOwner, placeholderUrl } = await import('../../content/new/catalog.ts');
  const { prepareCatalog } = await import('../../content/new/write.ts');

  if (dir === '') throw new UsageError('The folder name is empty; leave it out to use this folder.');
  const folder = resolve(flags.cwd, dir ?? '.');
  const flagged = questions.map(([key]) => {
    return [key, `--${key.replace(/[A-Z]/g, '-$&').toLowerCase()}`, flags[key]] as const;
  });
  const fromFlags = checkFlags<Answers>(flagged, answerChecks);
  const { completed, packs, write } = prepareCatalog(folder, flags.package);

  const made = await conversation(terminal, async (ask) => {
    const asks = canAsk() && flags.format === 'pretty';
    const answers = asks ? await askForAnswers(fromFlags, folder, ask) : complete(fromFlags, folder);
    const commits =
      !isInRepository(existingFolder(folder)) && (flags.git ?? (asks && (await ask.whether(gitQuestion))));
    const day = flags.today ?? zone(answers.timezone).today(new Date());
    return { answers, files: await write(answers, day), commits };
  });
  if (made === null) return;
  const { answers, files } = made;
  const commit = made.commits ? await firstCommit(folder, [...files.keys(), 'package.json']) : null;
  if (commit?.failed) terminal.exitCode = 1;

  if (flags.format === 'json')
    return terminal.printJson({ folder, files: [...files.keys()], addedToPackageJson: completed?.added ?? [] });
  const here = relative(process.cwd(), folder);
  const outside = completed?.outside;
  const steps = [
    ...(here === '' ? [] : [`cd ${shellWord(here)}`]),
    outside === undefined
      ? 'npm install'
      : `Copy ${outside} into vendor/, and run npm install ./vendor/${basename(outside)}: clones lack a file outside of the catalog.`,
    `${completed?.starts === false ? 'npx --no daily-agent-catalog serve --build' : 'npm start'}    (to see it, with one example agent)`,
    'npx --no daily-agent-catalog new    (to write your own)',
  ];
  if (commit !== null) steps.push(commit.next);
  const others = answers.publisherUrl === answers.baseUrl ? ', feedId and publisher.url' : ' and feedId';
  if (answers.baseUrl === placeholderUrl)
    steps.push(`Set baseUrl${others} in catalog.config.json: they contain example.com.`);
  if (String(files.get('.github/CODEOWNERS')).includes(placeholderOwner)) {
    steps.push(
      'Set repository in catalog.config.json to the address of your GitHub repository, so that pages link to it.',
      `Replace ${placeholderOwner} in .github/CODEOWNERS with your GitHub account, which then has to approve changes.`,
    );
  }
  const vendored = packs
    ? `${programName} ${programVersion} was not installed from a registry, so the catalog has a copy in vendor/. Commit it: npm installs the program from it.\n`
    : '';
  const inOther = flags.git === true ? 'Git made no commit, since the folder is already in a repository.\n' : '';
  terminal.say(`Created "${answers.title}": ${files.size} files.
${keptWords(completed)}${vendored}${commit?.said ?? inOther}
Next:
${steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}

README.md says how to publish every day with GitHub.

`);
  if (here !== '') terminal.print(`${here}\n`);
}

/** The nearest folder that exists, from `folder` upward. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}

/** Makes a repository with a first commit of these files. Returns what to say, and the next command for Git. */
async function firstCommit(folder: string, paths: readonly string[]) {
  try {
    await changeByGit(folder, ['init', '--quiet', '--initial-branch', 'main']);
    await changeByGit(folder, ['add', '--', ...paths]);
    await changeByGit(folder, ['commit', '--quiet', '--message', 'Start the catalog']);
    const next = "git add . && git commit -m 'Lock the packages'";
    return { failed: false, said: 'Created a Git repository with a first commit.\n', next };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const reason = error.missing ? '`git` is not on the PATH.' : firstLine(error.message);
    const said = `Every file was written, but Git made no commit: ${reason}\n`;
    const name = 'git config --global user.name "Your Name" && git config --global user.email you@example.com && ';
    const next = "git init -b main && git add . && git commit -m 'Start the catalog'";
    return { failed: true, said, next: `${/who you are/.test(error.message) ? name : ''}${next}` };
  }
}

function keptWords(completed: { added: readonly string[] } | null): string {
  if (completed === null) return '';
  return completed.added.length === 0
    ? 'package.json already had every entry and did not change.\n'
    : `Added to the existing package.json: ${completed.added.join(', ')}.\n`;
}
