import { orElse, UsageError } from '../lib/errors.ts';

/** Commands and flags that version 0.2 renamed. Scripts may use their names of version 0.1 until version 0.3. */
const commands = new Map([
  ['deliver', 'deploy'],
  ['signups', 'subscribers'],
  ['live', 'ci verify'],
  ['alert', 'ci notify'],
]);
/** A flag that has kept its name in other commands is after the name of its command. */
const flags = new Map([
  ['--hold-back', '--skip-invalid'],
  ['--signups', '--subscribers'],
  ['--signup-rate', '--subscribe-rate'],
  ['--csv', '--format=csv'],
  ['--json', '--format=json'],
  ['--dist', '--out'],
  ['votes --votes', '--file'],
]);

const currentFlag = (command: string, flag: string) => flags.get(`${command} ${flag}`) ?? flags.get(flag);

/**
 * Replaces former names on a command line. Calls `say` with a notice for each of them.
 *
 * Throws UsageError for a flag that was removed.
 */
export function inCurrentNames(words: readonly string[], say: (notice: string) => void): string[] {
  const [command = ''] = words;
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.flatMap((word, index) => {
    const [name = '', ...value] = word.split('=');
    if (command === 'serve' && name === '--database')
      throw new UsageError('--database was removed. Set DATABASE_URL instead.');
    const current = index === 0 ? commands.get(name) : index < end ? currentFlag(command, name) : undefined;
    if (current === undefined) return [word];
    say(`notice: ${name} is now ${current}. The old name works until version 0.3.\n`);
    return index === 0 ? current.split(' ') : [[current, ...value].join('=')];
  });
}

/** How the program is started: `npx catalog` may run a package of somebody else. */
export const launcher = 'npx --no daily-agent-catalog';

const npx = 'npx (?:--no |--yes |-y )*(?:daily-agent-)?catalog';
/** The rest of a command, which may continue on the next line. */
const rest = String.raw`(?![\w@./-])((?:\\\n|[^\n;&|\`])*)`;
const inText = new RegExp(`(${npx})${rest}`, 'g');
const inScript = new RegExp(String.raw`((?<=^|[;&|(]\s*|^\w+=\S* )catalog|${npx})${rest}`, 'g');

/** Replaces former names, and `npx catalog`, in the commands of a text. */
export function withCurrentNames(path: string, text: string): string {
  if (path !== 'package.json') return inEach(text, inText);
  const scripts: unknown[] = orElse(() => Object.values(JSON.parse(text).scripts), []);
  return scripts
    .filter((script) => typeof script === 'string')
    .reduce(
      (all, script) => all.replaceAll(JSON.stringify(script), () => JSON.stringify(inEach(script, inScript))),
      text,
    );
}

function inEach(text: string, pattern: RegExp): string {
  return text.replace(pattern, (_all, start: string, rest: string) => {
    const command = /^ +([\w-]+)/.exec(rest)?.[1] ?? '';
    const renamed = rest
      .replace(/(?<=\s)--[a-z-]+(?![\w-])/g, (flag) => currentFlag(command, flag) ?? flag)
      .replace(command, () => commands.get(command) ?? command);
    return (start === 'catalog' ? start : launcher) + renamed;
  });
}
