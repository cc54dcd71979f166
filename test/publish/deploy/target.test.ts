import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTarget } from '../../../src/publish/deploy.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';

/** Where `catalog deploy` sends a build, and how it calls ssh. */

const targets: [text: string, host: string, port: string | null, folder: string][] = [
  ['host:/srv', 'host', null, '/srv'],
  ['me@host.example:/srv/my site/', 'me@host.example', null, '/srv/my site'],
  ['host:/srv//', 'host', null, '/srv'],
  ['host:/a:b', 'host', null, '/a:b'],
  ['ssh://host/srv', 'host', null, '/srv'],
  ['SSH://me@host:2222/srv/', 'me@host', '2222', '/srv'],
  ['ssh://me@[2001:db8::1]:22/srv', 'me@2001:db8::1', '22', '/srv'],
  ['ssh://[::1]/srv', '::1', null, '/srv'],
];
for (const [text, host, port, folder] of targets) {
  test(`${text} is ${folder} on ${host}`, () => assert.equal(parseTarget(text), { host, port, folder }));
}

const refused = [
  ...['host', 'host:srv', 'host:', 'host:/', 'host://srv', '/srv', 'me@:/srv', 'a b:/srv', 'host:/a\nb'],
  ...['-oProxyCommand=x:/srv', 'ssh://-host/srv', 'ssh://host', 'ssh://host:x/srv', 'http://host/srv', ' host:/srv'],
];
for (const text of refused) {
  test(`${JSON.stringify(text)} is no target`, () => {
    assert.throws(() => parseTarget(text), `The target is ${JSON.stringify(text)}; it has to be user@host:/folder`);
  });
}

/** Deploys a build of one file with an imitation of ssh, and returns how it was called and what was said. */
function deploy(target: string, ...args: string[]) {
  return inFolder(async (folder) => {
    const id = '0f3c'.repeat(8);
    const info = { id, baseUrl: 'https://press.example', preview: false, counts: { agents: 0, files: 1 } };
    writeFiles(folder, {
      'dist/build.json': JSON.stringify(info),
      'bin/ssh': `#!/bin/sh\nfor word; do last=$word; echo "$word" | head -n 1 >> '${folder}/called'; done\nexec sh -c "$last"\n`,
    });
    chmodSync(join(folder, 'bin/ssh'), 0o755);
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const flags = ['--cwd', folder, ...args.map((arg) => arg.replace('BIN', join(folder, 'bin')))];
    const { code, stdout, stderr } = await catalog(['deploy', `${target}${folder}/host`, ...flags], { env });
    assert.equal([code, stdout], [0, ''], stderr);
    assert.is(stderr, `Deployed build 0f3c0f3c0f3c to ${target.replace(/^ssh:\/\/|:\d*$|:$/g, '')}:${folder}/host.\n`);
    assert.is(JSON.parse(readFileSync(join(folder, 'host/dist/build.json'), 'utf8')).id, id);
    return readFileSync(join(folder, 'called'), 'utf8').trimEnd().split('\n');
  });
}

const options = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=20', '-o', 'ServerAliveInterval=15'];

test('without a key, ssh uses its own keys and known hosts, and never asks', async () => {
  assert.equal(await deploy('me@host.example:'), [...options, 'me@host.example', 'set -eu']);
});

test('a port is passed on', async () => {
  assert.equal(await deploy('ssh://host:2222'), [...options, '-p', '2222', 'host', 'set -eu']);
});

test('another command gets its own arguments and the script', async () => {
  assert.equal(await deploy('host:', '--ssh', 'BIN/ssh -v other'), ['-v', 'other', 'set -eu']);
});

test('a transfer that lacks files is refused, and nothing is served', () =>
  inFolder(async (folder) => {
    const info = {
      id: '0f3c'.repeat(8),
      baseUrl: 'https://press.example',
      preview: false,
      counts: { agents: 0, files: 2 },
    };
    writeFiles(folder, { 'dist/build.json': JSON.stringify(info) });
    const target = `host:${folder}/host`;
    const { code, stderr } = await catalog(['deploy', target, '--cwd', folder, '--ssh', 'sh -c']);
    assert.is(code, 1);
    const told = 'only 1 of 2 files arrived. It serves what it served before.\n';
    assert.is(stderr, `error: The host did not accept the build: ${told}`);
    assert.equal(readdirSync(join(folder, 'host')), ['builds']);
    assert.equal(readdirSync(join(folder, 'host/builds')), []);
  }));

test('a file that changes while it is packed is an error, even if every file arrives', () =>
  inFolder(async (folder) => {
    const info = {
      id: '0f3c'.repeat(8),
      baseUrl: 'https://press.example',
      preview: false,
      counts: { agents: 0, files: 1 },
    };
    const said = 'tar: build.json: file changed as we read it';
    writeFiles(folder, {
      'dist/build.json': JSON.stringify(info),
      'bin/tar': `#!/bin/sh\nPATH=\${PATH#*:}\ntar "$@" || exit\n[ "$1" != -C ] || { echo "${said}" >&2; exit 1; }\n`,
    });
    chmodSync(join(folder, 'bin/tar'), 0o755);
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const args = ['deploy', `host:${folder}/host`, '--cwd', folder, '--ssh', 'sh -c'];
    const { code, stderr } = await catalog(args, { env });
    assert.equal([code, stderr], [1, `error: The build could not be packed: ${said}.\n`]);
  }));

test.run();
