import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Console } from '../../src/cli/console.ts';
import { createProgram } from '../../src/main.ts';
import { programName } from '../../src/program.ts';
import { bundled, inFolder } from '../support/catalog.ts';
import { run } from '../support/process.ts';

/** Every command that a document, a help text, a message or a workflow tells people to type exists and is ours. */

/** How the program is started everywhere. A package called `catalog` belongs to somebody else. */
const launcher = `npx --no ${programName}`;

/** Programs of other people that documents start on purpose. */
const others = ['skills', 'promptfoo'];

const scripts = Object.keys(JSON.parse(readFileSync(join(bundled, 'package.json'), 'utf8')).scripts);
const program = await createProgram(new Console(process.stdout, process.stderr, {}));

/** What names commands that no longer exist, and what is no text of ours. */
const omitted =
  /^(?:test|agents)\/|^(?:CHANGELOG\.md|starter\/files-0\.1\.0\.json|package-lock\.json|src\/cli\/former-names\.ts)$|\.(?:png|svg|woff2|ttf)$/;

/** The texts that people read: every other file of the repository. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: bundled,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !omitted.test(path) && existsSync(join(bundled, path)));

/** A piece of code in a text, and whether it is there to be typed instead of only named. */
interface Piece {
  code: string;
  typed: boolean;
  /** Whether a message has a command line without the launcher. */
  bare?: boolean;
}

const names = program.commands.map((command) => command.name()).join('|');
/** A command line without the launcher, within a sentence. */
const bare = new RegExp(`(?<![-\\w\`/.])catalog (?:${names})\\b`);
/** Messages that only name a command, in words that nobody takes for a command line, and a script of package.json. */
const named =
  /(?:Another|written by|Cases of) catalog |catalog dev answers|\(catalog serve\)|name: 'catalog build'|^const start = /;

function pieces(path: string, given: string): Piece[] {
  if (/\.m?[tj]s$/.test(path)) {
    const code = given.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
    return code
      .replace(/['"`] \+\s*['"`]/g, '')
      .replaceAll('\\n', '\n')
      .replaceAll('\\`', '`')
      .split('\n')
      .map((code) => ({
        code: code.replace('catalog needs Node.js', ''),
        typed: /\b(?:[Rr]un|with|use) `?catalog /.test(code),
        // Help texts give their examples the launcher.
        bare: bare.test(code) && !/^[ '"`]* {2}\$ /.test(code) && !named.test(code),
      }));
  }
  const text = given.replace(/\\\n\s*/g, ' ');
  if (!path.endsWith('.md'))
    return text.split('\n').map((code) => ({ code: code.replaceAll('", "', ' '), typed: true }));
  const blocks = [...text.matchAll(/^[ >]*(`{3,}|~{3,})(.*)\n([\s\S]*?)^[ >]*\1$/gm)];
  const prose = blocks.reduce((rest, [block]) => rest.replace(block, ''), text);
  return [
    // Blocks of text show what the program prints.
    ...blocks.flatMap(([, , language, code = '']) =>
      code.split('\n').map((line) => ({ code: line, typed: language !== 'text' })),
    ),
    ...[...prose.matchAll(/(\b(?:[Rr]un|with|use)\s+)?`([^`\n]+)`/g)].map(([, verb, code = '']) => ({
      code,
      typed: verb !== undefined,
    })),
  ];
}

/** What is wrong with the commands in a piece of code. */
function faults({ code, typed, bare: isBare = false }: Piece): string[] {
  const found: string[] = [];
  for (const [all, name = '', words = ''] of code.matchAll(
    /\b(npx|bunx|npm (?:exec|create|init)) ((?:[-@/\w]\S* ?)+)/g,
  )) {
    const own = name === 'npx' ? words.replace(/^--no (--prefix \S+ )?/, '') : words;
    const [started = ''] = own.split(/[\s`'",]/);
    if (name === 'npx' && own !== words && started === programName) {
      if (/^\S+ +-/.test(own)) found.push(`npx reads the flag itself: ${all}`);
    } else if (!others.includes(started) && `${name} ${started}` !== `npm create ${programName}`)
      found.push(`may run another package: ${all}`);
  }
  for (const [all, , given = ''] of code.matchAll(/\bnpm (install|i|ci) ((?:\S+ ?)+)/g)) {
    const names = given.split(/\s*(?:&&|[;`'|#(])/)[0]?.split(/\s+/) ?? [];
    const foreign = names.filter((name) => !/^(?:$|-|\.|file:|[$<…]|daily-agent-catalog\b)/.test(name));
    if (foreign.length > 0) found.push(`may install another package: ${all}`);
  }
  for (const [all, script = ''] of code.matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g))
    if (!scripts.includes(script)) found.push(`no script: ${all}`);
  // `docker exec catalog catalog votes`: within a container, there is only ours.
  const start = /^\s*(?:\$ )?(?:\w+=\S+ )*catalog /.test(code) && !/^\s*catalog:? *$/.test(code);
  const told = typed && (start || /\b(?:[Rr]un|with|use) `?catalog /.test(code));
  if ((told || isBare) && !code.includes(launcher)) found.push(`is not found if it is typed: ${code.trim()}`);
  // `catalog` is also an ordinary word, and the name of a user and of an image.
  const rest = '([a-z<-][^`|>;&#(…]*)';
  const calls = [
    `npx --no (?:--prefix \\S+ )?${programName} ${rest}`,
    `^\\s*(?:\\$ )?(?:\\w+=\\S+ )*catalog ${rest}`,
    `\`catalog ${rest}\``,
    `catalog catalog (?!catalog )${rest}`,
    `catalog\\.js ${rest}`,
    `CMD \\["catalog ${rest}`,
  ];
  for (const call of calls)
    for (const [, words = ''] of code.matchAll(new RegExp(call, 'g'))) found.push(...unknown(words));
  return found;
}

/** Which words of a command line name no command and no option. */
function unknown(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  let command: Command = program;
  const names: string[] = [];
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === /^[\w-]+/.exec(word)?.[0]);
    if (next === undefined) break;
    command = next;
    names.push(next.name());
  }
  if (names.length === 0)
    return /^(?:help|<command>?|--version|--help)$/.test(words[0] ?? '') ? [] : [`no command: catalog ${line}`];
  const options = command.options.flatMap(({ long, short }) => [long, short]);
  return words
    .filter((word) => /^--?[a-z][\w-]*/.test(word))
    .map((word) => /^--?[\w-]+/.exec(word)?.[0] ?? '')
    .filter((flag) => !options.includes(flag) && !['--help', '-h'].includes(flag))
    .map((flag) => `no option ${flag}: catalog ${names.join(' ')}`);
}

test('no document, help text, message or workflow has a command that fails or runs a package of somebody else', () => {
  assert.ok(files.length > 250, String(files.length));
  const found = files.flatMap((path) => {
    const text = readFileSync(join(bundled, path), 'utf8');
    return pieces(path, text).flatMap((piece) => faults(piece).map((fault) => `${path}: ${fault}`));
  });
  assert.equal([...new Set(found)], []);
});

test('a wrong command is found in each kind of text', () => {
  const wrong: [path: string, text: string][] = [
    ['a.md', 'Run `npx catalog validate`.'],
    ['a.md', 'Run `npx --no catalog validate`.'],
    ['a.md', 'Run\n`catalog validate`.'],
    ['a.md', '```sh\ncatalog validate\n```\n'],
    ['a.md', '```sh\n$ DATABASE_URL=x catalog db migrate\n```\n'],
    ['a.md', '```sh\nnpm install catalog\n```\n'],
    ['a.md', '```sh\nnpm create catalog\n```\n'],
    ['a.md', `The command \`catalog validte\` is new.`],
    ['a.md', `Run \`${launcher} --version\`.`],
    ['a.md', `Run \`${launcher} deliver\`.`],
    ['a.md', `\`\`\`sh\n${launcher} build --hold-back\n\`\`\`\n`],
    ['a.yml', 'run: npx --yes daily-agent-catalog build'],
    ['a.ts', "throw new Error('Run catalog validate.');"],
    ['a.ts', 'const text = `Run \\`catalog validate\\`.`;'],
    ['a.ts', "say('npx catalog new');"],
    ['a.ts', "say('It failed. catalog new says why.');"],
    ['a.ts', `say('Run ${launcher} ' +\n  'build --biuld');`],
    ['a.md', `\`\`\`bash\n${launcher} build \\\n  --biuld\n\`\`\`\n`],
    ['a.md', '> ~~~sh\n> npx catalog new\n> ~~~\n'],
    ['a.md', 'Run `npm run biuld`.'],
    ['a.timer', 'ExecStart=/usr/bin/node /opt/catalog/bin/catalog.js anounce'],
    ['Dockerfile', 'CMD ["catalog", "serve", "--biuld"]'],
  ];
  for (const [path, text] of wrong) assert.is(pieces(path, text).flatMap(faults).length > 0, true, text);
  const right: [path: string, text: string][] = [
    ['a.md', `Run \`${launcher} validate\`; \`catalog build --out preview\` builds.`],
    ['a.md', `\`\`\`sh\n$ claude mcp add agents -- npx --no --prefix /srv ${programName} mcp --cwd /srv\n\`\`\`\n`],
    ['a.md', '```sh\ndocker exec catalog catalog votes\nnpm install && npm start\n```\n'],
    ['a.ts', '// npx catalog is wrong\n/** Run catalog x. */'],
  ];
  for (const [path, text] of right) assert.equal(pieces(path, text).flatMap(faults), [], text);
});

test('where the program is not installed, its commands end without asking, and nothing is downloaded', () =>
  inFolder(async (folder) => {
    // A registry in which both names belong to somebody else.
    const { createServer } = await import('node:http');
    const asked: string[] = [];
    const registry = createServer(({ url = '' }, response) => {
      asked.push(url);
      const name = url.slice(1);
      const version = { name, version: '9.9.9', bin: 'x.js', dist: { tarball: `http://localhost/${name}.tgz` } };
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ name, 'dist-tags': { latest: '9.9.9' }, versions: { '9.9.9': version } }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => registry.on('listening', resolve));
    try {
      const { port } = registry.address() as { port: number };
      // `npm run -s` would silence this npm too.
      const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('npm_')));
      const env = {
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_cache: join(folder, 'cache'),
        // Except on CI, npm would ask whether there is a newer npm.
        npm_config_update_notifier: 'false',
      };
      const [command = '', ...args] = `${launcher} validate --format json`.split(' ');
      const { code, stdout, stderr } = await run(command, args, { cwd: folder, env: { ...own, ...env } });
      assert.is(code, 1);
      assert.is(stdout, '');
      assert.ok(stderr.includes(`missing packages and no YES option: ["${programName}@9.9.9"]`), stderr);
      assert.equal(asked, [`/${programName}`]);
    } finally {
      registry.close();
    }
  }));

test.run();
