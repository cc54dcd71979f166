import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { catalog, catalogProcess } from '../support/process.ts';
import { whileUnreadable } from '../support/refusing-disk.ts';

/** What all commands have in common: help, the version, wrong usage, exit codes. */

const commands = [
  'init',
  'new',
  'rename',
  'dev',
  'validate',
  'status',
  'upgrade',
  'publish',
  'build',
  'serve',
  'mcp',
  'verify',
  'votes',
  'subscribers',
  'announce',
  'deploy',
  'ci',
];

test('help names every command and shows examples', async () => {
  const { code, stdout } = await catalogProcess(['--help']);
  assert.is(code, 0);
  for (const word of [...commands, 'Writing:', 'Publishing:', 'Running:', 'Examples:']) assert.match(stdout, word);
});

test('the process exits with the code that scripts rely on', async () => {
  assert.is((await catalogProcess(['build', '--no-such-option'])).code, 2);
  await inFolder(async (folder) => assert.is((await catalogProcess(['status', '--cwd', folder])).code, 1));
});

for (const version of ['18.20.8', '20.10.0', '20.18.3']) {
  test(`Node.js ${version} gets one sentence that says which version is needed`, async () => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const node = ['--import', `data:text/javascript,${encodeURIComponent(old)}`];
    const { code, stdout, stderr } = await catalogProcess(['--help'], { node });
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.is(stderr, `catalog needs Node.js 20.19.0 or later, and this is ${version}. Install a newer Node.js.\n`);
  });
}

for (const command of [...commands.filter((name) => name !== 'ci'), 'ci verify', 'ci notify']) {
  test(`the help of ${command} shows its options and examples`, async () => {
    const { code, stdout } = await catalog([...command.split(' '), '--help']);
    assert.is(code, 0);
    assert.match(stdout, '--cwd');
    assert.match(stdout, 'Examples:');
  });
}

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const flag of ['--version', '-V']) assert.is((await catalog([flag])).stdout, `${version}\n`);
});

const wrongUsage: [string, string[], RegExp, NodeJS.ProcessEnv?][] = [
  ['an unknown command', ['bild'], /unknown command 'bild'[\s\S]*Did you mean build/],
  [
    'an unknown command after help',
    ['help', 'bild'],
    /^error: unknown command 'bild'\n\(Did you mean build\?\)\nFor help, run: npx --no daily-agent-catalog help\n/,
  ],
  [
    'an unknown subcommand',
    ['ci', 'verfy'],
    /^error: unknown command 'verfy'\n\(Did you mean verify\?\)\nFor help, run: .* help ci\n/,
  ],
  [
    'one of a command that runs without',
    ['votes', 'redct'],
    /^error: unknown command 'redct'\n\(Did you mean redact\?\)/,
  ],
  [
    'one before --help',
    ['bild', '--help'],
    /^error: unknown command 'bild'\n\(Did you mean build\?\)\nFor help, run: npx --no daily-agent-catalog help\n/,
  ],
  [
    'one of a command before -h',
    ['votes', 'redct', '-h'],
    /^error: unknown command 'redct'\n\(Did you mean redact\?\)/,
  ],
  [
    'one like no other',
    ['subscribers', 'nosuch'],
    /^error: unknown command 'nosuch'\nFor help, run: .* help subscribers\n/,
  ],
  ['one after help', ['help', 'votes', 'redct'], /^error: unknown command 'redct'\n\(Did you mean redact\?\)/],
  [
    'one after the help of its parent',
    ['ci', 'help', 'nosuch'],
    /^error: unknown command 'nosuch'\nFor help, run: .* help ci\n/,
  ],
  ['a name after -- that is like a former option', ['eval', '--mutate', '--fail', '--', '--json'], /^error: Give only/],
  ['an unknown option', ['build', '--colour'], /unknown option '--colour'/],
  [
    'an unknown option of a subcommand',
    ['ci', 'verify', '--colour'],
    /unknown option '--colour'\nFor help, run: npx --no daily-agent-catalog help ci verify\n/,
  ],
  ['a day that the calendar does not have', ['build', '--today', '2026-02-30'], /calendar date/],
  ['an unknown format', ['validate', '--format', 'xml'], /pretty, json/],
  ['a base URL that is none', ['build', '--base-url', 'example.com'], /--base-url is "example\.com"/],
  ['a base URL with a query', ['build', '--base-url', 'https://example.com/?a'], /without \? or #/],
  ['a base URL variable that is none', ['build'], /CATALOG_BASE_URL is "nowhere"/, { CATALOG_BASE_URL: 'nowhere' }],
  ['a port that is none', ['serve', '--port', '99999'], /--port is "99999"/],
  ['a port variable that is none', ['serve'], /PORT is "http"/, { PORT: 'http' }],
  ['a log level that is none', ['serve', '--log-level', 'loud'], /--log-level is "loud"/],
];
for (const [name, args, message, env] of wrongUsage) {
  test(`${name} is wrong usage: exit code 2 and its name`, async () => {
    const { code, stdout, stderr } = await catalog(args, env === undefined ? {} : { env });
    assert.is(code, 2);
    assert.is(stdout, '');
    assert.match(stderr, message);
  });
}

test('help of a command is the same in both forms, and asking for help is no error', async () => {
  for (const name of ['build', 'votes']) {
    const asked = await catalog(['help', name]);
    assert.equal([asked.code, asked.stderr], [0, '']);
    assert.is(asked.stdout, (await catalog([name, '-h'])).stdout);
  }
  assert.is((await catalog(['ci'])).code, 2);
});

test('help of a subcommand is the same in all forms, and other words after a command are ignored', async () => {
  const redact = await catalog(['votes', 'redact', '--help']);
  assert.match(redact.stdout, 'Usage: catalog votes redact');
  const forms = [
    ['help', 'votes', 'redact'],
    ['votes', 'help', 'redact'],
    ['votes', 'redact', '--help'],
    ['help', 'votes', 'redact', 'x'],
  ];
  for (const form of forms) assert.equal(await catalog(form), redact);
  const all = await catalog(['--help']);
  for (const form of [['help'], ['help', 'help'], ['help', '--help']]) assert.equal(await catalog(form), all);
});

test('settings that this user cannot read are no reason to look for another folder', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const status = () => catalog(['status'], { cwd: folder });
    const { code, stderr } = await whileUnreadable('catalog.config.json', status);
    assert.is(code, 1);
    assert.match(stderr, `You have no permission to read catalog.config.json in ${folder} (EACCES).`);
    assert.match(stderr, 'Make it readable for your user, or run the command as a user who can read it.');
    assert.not.match(stderr, '--cwd');
  }));

test('no command at all prints the help and is wrong usage', async () => {
  const { code, stderr } = await catalog([]);
  assert.is(code, 2);
  assert.match(stderr, /Usage: catalog/);
});

test.run();
