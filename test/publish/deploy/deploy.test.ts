import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BuildFolder } from '../../../src/storage/build-folder.ts';
import { inFolder, type SmallAgent, snapshot, writeCatalog } from '../../support/catalog.ts';
import { bin, catalog, type Finished, inherited, startServer } from '../../support/process.ts';
import { builtCatalog } from '../../support/server.ts';
import { knownHost, privateKey, writeSsh } from '../../support/ssh.ts';
import { leftOf, until } from '../../support/until.ts';

/** `catalog deploy`: a serving host gets a new build without any failed request. */

const infoOf = (out: string) => JSON.parse(readFileSync(join(out, 'build.json'), 'utf8')) as { id: string };
const idOf = (out: string) => infoOf(out).id;

const one: SmallAgent = { slug: 'one', date: '2026-01-01' };
const two: SmallAgent = { slug: 'two', date: '2026-01-02' };

/** The target on the command line overrides the variable, whose value is unusable. Workflows set missing secrets to ''. */
const deploy = (out: string, host: string, ssh = 'sh -c', env: NodeJS.ProcessEnv = {}): Promise<Finished> =>
  catalog(['deploy', `catalog@host.example:${host}`, '--out', out, '--ssh', ssh], {
    env: { RUNTIME_TARGET: 'none', RUNTIME_SSH_KEY: '', RUNTIME_KNOWN_HOSTS: '', ...env },
  });

test('under load, a new agent can be voted on at once, and no request fails', async () => {
  await inFolder(async (folder) => {
    const host = join(folder, "the host's folder");
    const first = builtCatalog(join(folder, 'first'), [one]);
    const next = builtCatalog(join(folder, 'next'), [one, two]);
    const done = await deploy(first, host);
    assert.is(done.code, 0, done.stderr);
    const limits = ['--vote-rate', 'off', '--refused-rate', 'off'];
    const server = await startServer(['--out', join(host, 'dist'), ...limits]);
    try {
      const vote = (slug: string) =>
        fetch(`${server.address}api/feedback`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ slug, vote: 'yes' }),
        }).then(async (answer) => [answer.status, await answer.text()] as const);
      assert.is((await vote('two'))[0], 404);

      let running = true;
      const failures: string[] = [];
      let requests = 0;
      const reader = async (path: string) => {
        while (running) {
          const [status, text] = path === '' ? await vote('one') : await fetched(server.address + path);
          requests += 1;
          if (status !== 200 || text === '') failures.push(`${path} → ${status}`);
        }
      };
      const readers = ['', '', 'api/agents.json', 'agents/one', 'feed.xml', 'build.json', 'llms.txt'].map(reader);
      await until(() => requests >= 30);
      const deployed = await deploy(next, host);
      assert.is(deployed.code, 0, deployed.stderr);
      await until(async () => (await vote('two'))[0] === 200);
      const before = requests;
      await until(() => requests >= before + 30);
      running = false;
      await Promise.all(readers);
      assert.equal(failures, []);
    } finally {
      await server.stop();
    }
  });
});

test('an interrupted transfer changes nothing on the host, and the message says so', async () => {
  await inFolder(async (folder) => {
    const host = join(folder, 'host');
    const first = builtCatalog(join(folder, 'first'), [one]);
    const next = builtCatalog(join(folder, 'next'), [one, two]);
    assert.is((await deploy(first, host)).code, 0);
    const before = readlinkSync(join(host, 'dist'));
    const breaking = join(folder, 'breaking-ssh');
    // A tar that ends between two files is valid to tar, so the files have to be counted.
    const kept = join(folder, 'kept');
    const withoutOne = `mkdir ${kept} && tar -xf - -C ${kept} && rm ${kept}/about.html && tar -cf - -C ${kept} .`;
    for (const loss of ['head -c 0', 'head -c 5000', 'head -c 20480', `(${withoutOne})`]) {
      writeFileSync(breaking, `#!/bin/sh\n${loss} | sh -c "$1"\n`);
      chmodSync(breaking, 0o755);
      const { code, stderr } = await deploy(next, host, breaking);
      assert.is(code, 1, stderr);
      assert.match(stderr, /did not accept the build[\s\S]*\. It serves what it served before\.$/m);
      assert.is(readlinkSync(join(host, 'dist')), before);
      assert.equal(readdirSync(join(host, 'builds')), [before.replace('builds/', '')]);
    }
  });
});

test('a canceled deployment leaves no key, and neither ssh nor what ssh started, which could still replace the build', async () => {
  await inFolder(async (folder) => {
    const [ssh, pids] = [join(folder, 'slow-ssh'), join(folder, 'pids')];
    const out = builtCatalog(join(folder, 'first'), [one]);
    writeFileSync(
      ssh,
      `#!/bin/sh\nsh -c 'echo $$ >> ${pids}; exec sleep 300' | sh -c 'echo $$ >> ${pids}; exec sleep 300'\n`,
    );
    chmodSync(ssh, 0o755);
    const args = [bin, 'deploy', `host:${folder}/host`, '--out', out, '--ssh', ssh];
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    const secrets = { RUNTIME_SSH_KEY: privateKey, RUNTIME_KNOWN_HOSTS: knownHost, TMPDIR: temporary };
    // Node.js 22 and later keep compiled code there.
    const env = { ...inherited(), ...secrets, NODE_DISABLE_COMPILE_CACHE: '1' };
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const ended = once(child, 'close');
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length === 3);
    child.kill('SIGTERM');
    assert.equal(await ended, [null, 'SIGTERM']);
    assert.equal(await leftOf(pids), []);
    assert.equal(readdirSync(temporary), []);
  });
});

test('a build that was killed while it moved its files is deployed whole', async () => {
  await inFolder(async (folder) => {
    const out = builtCatalog(join(folder, 'first'), [one]);
    const next = builtCatalog(join(folder, 'next'), [one, two]);
    const nextId = idOf(next);
    const paths = readdirSync(next, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(next, join(entry.parentPath, entry.name)));
    const build = new BuildFolder(out);
    cpSync(next, build.staged, { recursive: true });
    build.commit({ moved: paths, removed: [] });

    const host = join(folder, 'host');
    const done = await deploy(out, host);
    assert.is(done.code, 0, done.stderr);
    assert.is(idOf(join(host, 'dist')), nextId);
    assert.ok(existsSync(join(host, 'dist/agents/two.html')));
  });
});

test('a build that starts during a deployment waits for it, so the host never gets files of both', async () => {
  await inFolder(async (folder) => {
    const [host, ssh, said] = [join(folder, 'host'), join(folder, 'slow-ssh'), join(folder, 'said')];
    const out = builtCatalog(join(folder, 'first'), [one]);
    const deployed = snapshot(out);
    const other = join(folder, 'catalog');
    writeCatalog(other, [one, two]);
    const build = `'${process.execPath}' '${bin}' build --cwd '${other}' --out '${out}' --today 2026-02-01`;
    const hasSaid = `grep -qE 'Waiting|Built|error' '${said}'`;
    writeFileSync(
      ssh,
      `#!/bin/sh\n${build} > /dev/null 2> '${said}' &\nuntil ${hasSaid}; do sleep 0.02; done\nexec sh -c "$1"\n`,
    );
    chmodSync(ssh, 0o755);
    const { code, stderr } = await deploy(out, host, ssh);
    assert.is(code, 0, stderr);
    const served = snapshot(realpathSync(join(host, 'dist')));
    assert.equal(
      Object.keys({ ...served, ...deployed }).filter((path) => served[path] !== deployed[path]),
      [],
    );
    await until(() => /Built/.test(readFileSync(said, 'utf8')));
    assert.match(readFileSync(said, 'utf8'), `Another build or deployment is using ${out} (process `);
    assert.ok(existsSync(join(out, 'agents/two.html')));
  });
});

test('a web server that runs as another user can read the build, even if it was private on the machine that made it', async () => {
  await inFolder(async (folder) => {
    const host = join(folder, 'host');
    const out = builtCatalog(join(folder, 'first'), [one]);
    chmodSync(join(out, 'index.html'), 0o600);
    chmodSync(join(out, 'agents'), 0o700);
    assert.is((await deploy(out, host)).code, 0);
    const root = join(host, 'dist');
    const modes = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
    const paths = readdirSync(root, { recursive: true }).map(String);
    assert.ok(paths.includes('index.html') && paths.includes('agents'));
    for (const path of ['', ...paths]) {
      assert.is(modes(path), statSync(join(root, path)).isDirectory() ? '755' : '644', path);
    }
  });
});

test('a folder with the name of the link is never replaced', async () => {
  await inFolder(async (folder) => {
    const host = join(folder, 'host');
    mkdirSync(join(host, 'dist'), { recursive: true });
    const { code, stderr } = await deploy(builtCatalog(join(folder, 'first'), [one]), host);
    assert.is(code, 1);
    assert.match(stderr, /dist is not a symlink. Move it away/);
  });
});

test('deploying a build twice keeps one copy, and an earlier build can be restored', async () => {
  await inFolder(async (folder) => {
    const host = join(folder, 'host');
    const first = builtCatalog(join(folder, 'first'), [one]);
    const next = builtCatalog(join(folder, 'next'), [one, two]);
    // A transfer that was interrupted yesterday, and one in progress.
    for (const name of ['.incoming-old', '.incoming-now']) mkdirSync(join(host, 'builds', name), { recursive: true });
    const yesterday = new Date(Date.now() - 86_400_000);
    utimesSync(join(host, 'builds/.incoming-old'), yesterday, yesterday);
    assert.is((await deploy(first, host)).code, 0);
    assert.equal(readdirSync(join(host, 'builds')).sort(), ['.incoming-now', idOf(first)].sort());
    rmSync(join(host, 'builds/.incoming-now'), { recursive: true });
    for (const out of [first, next, first]) assert.is((await deploy(out, host)).code, 0);
    assert.is(readdirSync(join(host, 'builds')).length, 2);
    assert.not.ok(existsSync(join(host, 'dist/agents/two.html')));
    assert.ok(existsSync(join(host, 'dist/agents/one.html')));
    const firstId = idOf(first);
    // One of the three remaining builds is the previously served one, no matter how old it is.
    for (const digit of ['1', '2']) {
      writeFileSync(join(next, 'build.json'), JSON.stringify({ ...infoOf(next), id: digit.repeat(32) }));
      const { code, stderr } = await deploy(next, host);
      assert.is(code, 0, stderr);
    }
    assert.equal(readdirSync(join(host, 'builds')).sort(), ['1'.repeat(32), '2'.repeat(32), firstId].sort());
  });
});

test('an earlier build whose removal was interrupted is restored whole', async () => {
  await inFolder(async (folder) => {
    const host = join(folder, 'host');
    const first = builtCatalog(join(folder, 'first'), [one]);
    const next = builtCatalog(join(folder, 'next'), [one, two]);
    for (const out of [first, next]) assert.is((await deploy(out, host)).code, 0);
    rmSync(join(host, 'builds', idOf(first), 'agents'), { recursive: true });
    assert.is((await deploy(first, host)).code, 0);
    assert.ok(existsSync(join(host, 'dist/agents/one.html')));
    assert.equal(readdirSync(join(host, 'builds')).sort(), [idOf(first), idOf(next)].sort());
  });
});

test('invalid targets and builds are reported before anything is sent', async () => {
  await inFolder(async (folder) => {
    const out = builtCatalog(join(folder, 'first'), [one]);
    const env = { RUNTIME_SSH_KEY: 'a key', RUNTIME_KNOWN_HOSTS: '', PATH: folder };
    const cases: [Promise<Finished>, number, RegExp][] = [
      [catalog(['deploy', '--out', out]), 2, /RUNTIME_TARGET/],
      [catalog(['deploy', '-oProxyCommand=x:/srv', '--out', out]), 2, /unknown option|has to be user@host/],
      [catalog(['deploy', 'host:relative', '--out', out]), 2, /has to be user@host:\/folder/],
      [catalog(['deploy', 'host:/srv', '--out', out], { env }), 2, /RUNTIME_KNOWN_HOSTS is not/],
      [
        catalog(['deploy', 'host:/srv', '--out', join(folder, 'none')]),
        1,
        /has no build .* build first, with the same --out\./,
      ],
      [
        catalog(['deploy', 'host:/srv', '--out', out, '--ssh', 'no-such-program']),
        1,
        /no-such-program cannot be run .*\. Install it on this machine\. Nothing was sent\.$/m,
      ],
      [
        catalog(['deploy', 'host:/srv', '--out', out, '--ssh', '/bin/sh -c'], { env: { PATH: folder } }),
        1,
        /^error: tar cannot be run/,
      ],
    ];
    for (const [run, code, words] of cases) {
      const finished = await run;
      assert.is(finished.code, code, finished.stderr);
      assert.match(finished.stderr, words);
    }
    rmSync(out, { recursive: true });
  });
});

/** What a host answers that nobody has set up yet, by what `sh` runs before the script. */
const unready: [name: string, before: string, message: RegExp][] = [
  [
    'a folder that the user may not create',
    'mkdir() { echo "mkdir: cannot create directory \u2018/srv\u2019: Permission denied" >&2; return 1; }',
    /Permission denied\. It serves what it served before\.\nCreate the folder on the host, as root: install -d -o catalog '\//,
  ],
  [
    'no tar',
    'tar() { echo "sh: 1: tar: not found" >&2; return 127; }',
    /not found\. It serves .*\nInstall tar on the host\./,
  ],
  [
    'no mv that can replace links',
    'mv() { echo "mv: unrecognized option: T" >&2; return 1; }',
    /\nInstall coreutils or BusyBox/,
  ],
  [
    'a full disk',
    'tar() { echo "tar: index.html: No space left on device" >&2; return 2; }',
    /\nFree some space on the host\./,
  ],
  [
    'a key that it does not know',
    'echo "catalog@host.example: Permission denied (publickey)." >&2; exit 255',
    /\nAdd your public key, or the public half of the key in RUNTIME_SSH_KEY, to ~\/\.ssh\/authorized_keys of catalog@host\.example/,
  ],
  [
    'another name',
    'echo "ssh: Could not resolve hostname host.example: Name or service not known" >&2; exit 255',
    /\nCheck the host, its port and its firewall\./,
  ],
  [
    'another key, of which ssh speaks in lines for a terminal',
    "printf 'Offending key in known_hosts:1\\r\\nHost key verification failed.\\r\\n' >&2; exit 255",
    /Offending key in known_hosts:1 \/ Host key verification failed\. It serves .*\nRun ssh-keyscan/,
  ],
  ['no words', 'exit 3', /did not accept the build: \S+ssh ended with code 3\. It serves what it served before\.\n$/],
  ['no time for words', 'kill -TERM $$', /did not accept the build: \S+ssh ended with SIGTERM\. It serves/],
];

test('what is wrong with a new host is said, with the way to fix it', () =>
  inFolder(async (folder) => {
    const out = builtCatalog(join(folder, 'first'), [one]);
    for (const [name, before, message] of unready) {
      const ssh = join(folder, 'ssh');
      writeFileSync(ssh, `#!/bin/sh\n${before}\neval "$1"\n`);
      chmodSync(ssh, 0o755);
      const { code, stderr } = await deploy(out, join(folder, name), ssh);
      assert.is(code, 1, name);
      assert.match(stderr, message, `${name}: ${stderr}`);
    }
  }));

test('a host that refuses before it has read everything is quoted, although the system ends tar', () =>
  inFolder(async (folder) => {
    const out = builtCatalog(join(folder, 'first'), [one]);
    const programs: [name: string, script: string][] = [
      ['tar', 'kill -PIPE $$'],
      ['ssh', 'echo "mkdir: cannot create directory /srv: Permission denied" >&2; exit 1'],
    ];
    for (const [name, script] of programs) writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { code, stderr } = await deploy(out, join(folder, 'host'), join(folder, 'ssh'), env);
    assert.is(code, 1);
    assert.match(
      stderr,
      /did not accept the build: mkdir: .*Permission denied\. It serves what it served before\.\nCreate/,
    );
  }));

test('only the owner can read the file of the key, only known hosts are trusted, and both files are removed', async () => {
  await inFolder(async (folder) => {
    const out = builtCatalog(join(folder, 'first'), [one]);
    const host = join(folder, 'host');
    const tools = join(folder, 'tools');
    writeSsh(tools);
    const cases: [knownHosts: string, key: string, code: number, words: RegExp][] = [
      [`other.example ssh-ed25519 BBBB\n${knownHost}`, privateKey, 0, /^/],
      [
        knownHost.replace('AAAA', 'BBBB'),
        privateKey,
        1,
        /ssh: Host key verification failed\. It serves what it served before\.\nRun ssh-keyscan -p 2222 runtime\.example, compare/,
      ],
      [knownHost.replace('runtime.', 'other.'), privateKey, 1, /Host key verification failed/],
      [knownHost, 'another key', 1, /error in libcrypto/],
    ];
    for (const [RUNTIME_KNOWN_HOSTS, RUNTIME_SSH_KEY, code, words] of cases) {
      const env = { RUNTIME_KNOWN_HOSTS, RUNTIME_SSH_KEY, PATH: `${tools}:${process.env.PATH}` };
      const done = await catalog(['deploy', `ssh://catalog@runtime.example:2222${host}`, '--out', out], { env });
      assert.is(done.code, code, done.stderr);
      assert.match(done.stderr, words);
    }
    assert.is(readdirSync(join(host, 'builds')).length, 1);
    const keys = readFileSync(join(tools, 'keys'), 'utf8').trimEnd().split('\n');
    assert.is(keys.length, cases.length);
    for (const key of keys) assert.not.ok(existsSync(dirname(key)), key);
  });
});

async function fetched(address: string): Promise<readonly [number, string]> {
  const answer = await fetch(address);
  return [answer.status, await answer.text()];
}

test.run();
