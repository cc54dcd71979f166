import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configExtensions, configTypes } from '../../src/schema/slugs.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { bundled, inFolder, snapshot } from '../support/catalog.ts';
import { confirmLink, unsubscribeLink } from '../support/confirmations.ts';
import { putLock } from '../support/lock.ts';
import { type Machine, verifiedUnits, withMachine } from '../support/machine.ts';
import { buttondown, startService } from '../support/mail/services.ts';
import type { ReceivedMail } from '../support/mailbox.ts';
import { catalog } from '../support/process.ts';
import { ask, postJson } from '../support/requests.ts';
import { until } from '../support/until.ts';

/** docs/deploy.md: the commands of each of its ways, as they are on the page, up to a backup that was restored. */

const fileOf = (path: string) => readFileSync(join(bundled, path), 'utf8');
const page = fileOf('docs/deploy.md');
const slug = 'handover-gap-finder';
const title = /^title: (.+)$/m.exec(readFileSync(join(bundled, `starter/agents/${slug}/agent.md`), 'utf8'))?.[1] ?? '';

/** The blocks of code of a section, in order, without the indentation of lists. */
function blocks(section: string, language = 'sh'): string[] {
  const start = page.indexOf(`\n## ${section}\n`);
  const part =
    section === ''
      ? page.slice(0, page.indexOf('\n## '))
      : page.slice(start, (page.indexOf('\n## ', start + 1) + page.length) % page.length);
  return [...part.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', code = '']) => code.replace(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

interface Commands {
  next(start: string): string;
  end(): void;
}

/** Returns the block that begins with this command, and checks that all before it were taken. */
function reader(section: string, language = 'sh'): Commands {
  const left = blocks(section, language);
  return {
    next(start) {
      const block = left.shift() ?? '';
      assert.ok(block.startsWith(start), `${section}: expected a block that begins with ${start}, not:\n${block}`);
      return block;
    },
    end: () => assert.equal(left, []),
  };
}

const yours = { home: 'home', cwd: 'home/my-catalog' };

/** Makes a catalog on the computer of its editor, and pushes it with the commands of the page. */
async function startCatalog({ root, shell }: Machine, settings: object = {}): Promise<void> {
  const folder = join(root, 'home/my-catalog');
  const made = await catalog(['init', folder, '--package', '^0.1.0', '--timezone', 'UTC']);
  assert.is(made.code, 0, made.stderr);
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  change(root, { postalAddress: 'Ada Press, 1 Main Street, Springfield', announceHour: 0, ...settings });
  await shell('npm ci', yours);
  const commands = reader('');
  await shell(commands.next('npx --no daily-agent-catalog validate'), yours);
  commands.end();
  // The prompt has a history, which only a server that may read the repository can show.
  await shell(`echo '- Name the owner.' >> agents/${slug}/prompt.txt && git commit -qam Owner && git push -q`, yours);
}

function change(root: string, settings: object): void {
  const file = join(root, 'home/my-catalog/catalog.config.json');
  const changed = { ...JSON.parse(readFileSync(file, 'utf8')), ...settings };
  writeFileSync(file, `${JSON.stringify(changed, null, 2)}\n`);
}

/** Runs the hourly job on the next day, after a job of that day was killed before it committed the number of a new agent. */
async function publishesAfterKill({ root, shell, cron }: Machine, hourly: string): Promise<void> {
  const folder = join(root, 'home/my-catalog');
  const file = join(folder, 'agents/the-next-one/agent.md');
  const day = 86_400_000;
  const date = `date: ${new Date(Date.now() + day).toISOString().slice(0, 10)}`;
  cpSync(join(folder, 'agents', slug), join(folder, 'agents/the-next-one'), { recursive: true });
  const text = readFileSync(file, 'utf8').replace(/^date: .*\nissue: 1$/m, date);
  writeFileSync(file, text.replace(/^title: .*$/m, 'title: The Next One'));
  await shell("git add --all && git commit --quiet -m 'Add an agent' && git push --quiet", yours);
  writeFileSync(file, readFileSync(file, 'utf8').replace(date, `${date}\nissue: 2`));
  await putLock(join(folder, '.git/catalog-publish'), { started: 'earlier' });
  await cron(hourly, 'home', { CLOCK_SHIFT: String(day) });
}

test('static only: by its commands, the site is online, and its agent is announced once', async () => {
  await withMachine(async (machine) => {
    const { root, shell, cron } = machine;
    const dist = join(root, 'var/www/catalog/dist');
    const site = createServer((request, response) => {
      const path = join(dist, new URL(request.url ?? '', 'http://x').pathname);
      const file = [path, `${path}.html`, join(path, 'index.html')].find(
        (each) => existsSync(each) && /\.\w+$/.test(each),
      );
      response.writeHead(file === undefined ? 404 : 200).end(file === undefined ? '' : readFileSync(file));
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    const service = await startService(buttondown());
    try {
      const baseUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      await startCatalog(machine, { baseUrl });
      // The machine of the web server, where SSH reaches the user `web`.
      await shell('useradd --home-dir /var/www --shell /bin/sh web && install -d -o web -g web /var/www/catalog');
      const commands = reader('Static only');
      const tables = reader('Static only', 'crontab');
      await shell(commands.next('npx --no daily-agent-catalog publish --push'), yours);
      assert.match((await ask(baseUrl, `/agents/${slug}`)).text, title);
      assert.match(await shell('git --git-dir github/OWNER/REPOSITORY.git log -1 --format=%s', { cwd: '.' }), 'No. 1');
      rmSync(join(root, 'var/www/catalog'), { recursive: true });
      await shell('install -d -o web -g web /var/www/catalog');
      const hourly = tables.next('PATH=');
      await cron(hourly, 'home');
      assert.match((await ask(baseUrl, '/')).text, title);
      const provider = { CATALOG_SIGNUPS_URL: service.url };
      const dryRun = commands.next('export CATALOG_SIGNUPS').replace('<your key>', 'k3y');
      assert.match(await shell(dryRun, { ...yours, env: provider }), 'Would send No. 1');
      const announces = tables.next('CATALOG_SIGNUPS=').replace('<your key>', 'k3y');
      tables.end();
      for (let count = 2; count > 0; count -= 1)
        await cron(`${hourly.split('\n', 1)[0]}\n${announces}`, 'home', provider);
      assert.equal(
        service.sent.map(({ subject }) => subject),
        [`${title} (No. 1)`],
      );
      await publishesAfterKill(machine, hourly);
      assert.is((await ask(baseUrl, '/agents/the-next-one')).status, 200);
      // GitHub has a reference for each pull request, and lets nobody push one (git's receive.hideRefs).
      const github = 'git --git-dir github/OWNER';
      await shell(`${github}/REPOSITORY.git update-ref refs/pull/1/head main`, { cwd: '.' });
      await shell(`${github}/RESTORED.git config receive.hideRefs refs/pull`, { cwd: '.' });
      await shell(commands.next('git clone --mirror'), yours);
      rmSync(join(root, 'github/OWNER/REPOSITORY.git'), { recursive: true });
      await shell(commands.next('git -C'), yours);
      commands.end();
      await shell(
        `git clone --quiet git@github.com:OWNER/RESTORED.git again && grep 'issue: 1' again/agents/${slug}/agent.md`,
      );
    } finally {
      site.close();
      site.closeAllConnections();
      await service.close();
    }
  });
});

/** What readers do on a site that the machine serves. */
function readers({ address, mailbox, shell }: Machine) {
  const from = (client: number) => ({
    headers: { origin: address.slice(0, -1), 'x-forwarded-for': `192.0.2.${client}` },
  });
  /** Presses the button on the page of a link, and returns what the next page says. */
  const press = async (link: string) => {
    const { pathname, search } = new URL(link);
    assert.match((await ask(address, pathname + search)).text, '<button');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, text } = await ask(address, pathname + search, { method: 'POST', headers, body: '' });
    assert.is(status, 200, text);
    return text;
  };
  return {
    press,
    async seeTheAgent() {
      await until(async () => (await ask(address, '/').catch(() => null))?.status === 200);
      const { text } = await ask(address, `/agents/${slug}`);
      assert.match(text, title);
      assert.match(text, 'Prompt history');
    },
    async vote(client: number) {
      const { status, text } = await postJson(address, '/api/feedback', { slug, vote: 'yes' }, from(client));
      assert.is(status, 200, text);
    },
    async subscribe(email: string) {
      const count = mailbox.mails.length;
      const { status, text } = await postJson(address, '/api/subscribe', { email, list: 'daily' }, from(9));
      assert.is(status, 200, text);
      await mailbox.received(count + 1);
      const [asked] = mailbox.mails.slice(count);
      assert.is(asked?.recipient, email);
      assert.match(await press(confirmLink(asked as ReceivedMail)), 'confirmed');
    },
    /** Returns the mails that are sent when the timer starts its unit. */
    async get() {
      const count = mailbox.mails.length;
      await shell('systemctl start catalog-announce');
      return new Map(mailbox.mails.slice(count).map((mail) => [mail.recipient, mail]));
    },
  };
}

/** A command of the program, run as the table of the page says. */
const asServer = (command: string) =>
  `cd /opt/catalog && set -a && . /etc/catalog/catalog.env; runuser -u catalog -- npx --no daily-agent-catalog ${command}`;

/** What else happens on a server while the commands of the page are run. */
interface Life {
  beforeEmail?(): Promise<void>;
  afterEmail?(mails: ReadonlyMap<string, ReceivedMail>): Promise<void>;
  /** The backup is from the night before the email, and the data folder is damaged, not lost. */
  damaged?: boolean;
  /** The data folder is back: `before` is what it contained when the backup was made. */
  afterRestore?(before: Record<string, string>): void;
}

/** The steps of a server from the first vote to the restored backup. */
async function operate(machine: Machine, commands: Commands, recipients: string[], life: Life = {}): Promise<void> {
  const { root, shell, mailbox } = machine;
  const { seeTheAgent, vote, subscribe, press, get } = readers(machine);
  const data = join(root, 'var/lib/catalog/data');
  await seeTheAgent();
  await vote(1);
  const reports = commands.next('cd /opt/catalog');
  // Votes, yes, no, and notes.
  assert.match(await shell(reports), new RegExp(`${title}.* 1 +1 +0`));

  await shell(commands.next('cat >> /etc/catalog/catalog.env'));
  await seeTheAgent();
  for (const email of recipients) await subscribe(email);
  await life.beforeEmail?.();
  const told = await shell(commands.next('cd /opt/catalog'));
  assert.match(told, `Wrote ${data}/mail-preview/daily-`);
  assert.match(told, `to ${recipients.length} confirmed subscribers of the list daily.`);
  assert.is(mailbox.mails.at(-1)?.recipient, 'you@example.com');
  const backup = commands.next('cp /opt/catalog/deploy/catalog-backup');
  if (life.damaged) {
    await vote(2);
    await shell(backup);
  }
  const mails = await get();
  assert.equal([...mails.keys()].sort(), recipients);
  for (const { subject } of mails.values()) assert.is(subject, `${title} (No. 1)`);
  await life.afterEmail?.(mails);
  if (!life.damaged) {
    await vote(2);
    await shell(backup);
  }

  const before = snapshot(data);
  await shell(
    `systemctl stop catalog && ${life.damaged ? 'echo > /var/lib/catalog/data/votes.jsonl' : 'rm -rf /var/lib/catalog/data'}`,
  );
  if (!life.damaged) await shell('! systemctl start catalog-backup && mkdir /var/lib/catalog/data');
  assert.match(await shell('! systemctl start catalog-announce'), 'Dependency failed', 'nobody is mailed in between');
  await shell(commands.next('systemctl stop catalog'));
  commands.end();
  await seeTheAgent();
  life.afterRestore?.(before);
  assert.equal([...(await get()).keys()], [], 'nobody gets the email again');
  assert.match(await shell(reports), new RegExp(`${title}.* 2 +2 +0[\\s\\S]+${recipients.length} confirmed`));
  await press(unsubscribeLink(mails.get('ann@example.com') as ReceivedMail));
}

test('one server that builds: nothing is lost with the data folder that its backup does not bring back', async () => {
  await withMachine(async (machine) => {
    const { address, root, shell } = machine;
    await startCatalog(machine);
    const commands = reader('One server that builds');
    await shell(commands.next('apt-get install'));
    await shell(commands.next('mkdir -p /etc/catalog'));
    assert.match(await shell(commands.next('cp /opt/catalog/deploy/catalog.service')), '"status":"ok"');
    await shell(commands.next('cat > /etc/caddy/Caddyfile'));
    assert.match((await ask(address, '/')).text, 'action="/api/subscribe"');

    const data = join(root, 'var/lib/catalog/data');
    const { seeTheAgent, subscribe } = readers(machine);
    await operate(machine, commands, ['ann@example.com', 'bob@example.com'], {
      async beforeEmail() {
        await subscribe('cy@example.com');
        await shell(`systemctl stop catalog; ${asServer('subscribers erase cy@example.com')}; systemctl start catalog`);
        await seeTheAgent();
      },
      async afterEmail() {
        // A month ends: logrotate renames the log, and does what its file says.
        renameSync(join(data, 'votes.jsonl'), join(data, 'votes.jsonl-20261101'));
        const rotation = readFileSync(join(root, 'etc/logrotate.d/catalog'), 'utf8');
        await shell(/postrotate\n([\s\S]+?)endscript/.exec(rotation)?.[1] ?? 'false');
        await until(() => existsSync(join(data, 'votes.jsonl')));
      },
      afterRestore(before) {
        // Every file is back as it was, or nothing depends on it: the next steps do without these.
        const after = snapshot(data);
        // The server makes these again when it starts.
        const made = ['signups.jsonl.lock', 'votes.jsonl.lock', 'votes.jsonl.secret'];
        const isExpendable = (file: string) =>
          made.includes(file) || /^mail-preview\/daily-[\d-]+\.(?:html|txt)$/.test(file);
        const kept = Object.keys(before).filter((file) => !isExpendable(file));
        assert.equal(
          Object.keys(after)
            .filter((file) => !made.includes(file))
            .sort(),
          kept.sort(),
        );
        assert.is.not(after['votes.jsonl.secret'], before['votes.jsonl.secret']);
        const listed = page.slice(page.indexOf('| in the data folder |'), page.indexOf('The backup leaves out'));
        for (const file of kept) {
          assert.is(after[file], before[file], file);
          const name = /^votes\.jsonl-/.test(file) ? 'its rotated files' : `\`${file.replace(/(?<=\/).*/, '')}\``;
          assert.match(listed, name);
        }
      },
    });
  });
});

test('a build uploaded to a server: after the backup of an earlier day is restored, no email comes twice or to an erased address', async () => {
  await withMachine(async (machine) => {
    const { address, root, shell } = machine;
    const [addresses = ''] = blocks('A build uploaded to a server', 'json');
    await startCatalog(machine, JSON.parse(addresses.replaceAll('https://agents.example.com', address.slice(0, -1))));
    const commands = reader('A build uploaded to a server');
    await shell(commands.next('mkdir -p -m 0700 ~/.ssh'), yours);
    await shell(commands.next('apt-get install'));
    await shell(commands.next('export RUNTIME_SSH_KEY'), yours);
    assert.match(await shell(commands.next('mkdir -p /etc/catalog')), '"status":"ok"');
    await shell(commands.next('cat > /etc/caddy/Caddyfile'));
    await operate(machine, commands, ['ann@example.com', 'bob@example.com'], {
      damaged: true,
      async afterEmail() {
        await shell(
          `systemctl stop catalog; ${asServer('subscribers erase bob@example.com')}; systemctl start catalog`,
        );
        await readers(machine).seeTheAgent();
      },
      afterRestore: (before) =>
        assert.is(snapshot(join(root, 'var/lib/catalog/data'))['suppressed.jsonl'], before['suppressed.jsonl']),
    });
  });
});

test('a proxy that serves the files forwards what only the server can answer, and knows the type of each file', () => {
  const nginx = fileOf('deploy/nginx.conf');
  const caddy = fileOf('deploy/Caddyfile');
  const forwarded = [...nginx.matchAll(/^ +location (?:= )?(\S+) \{\n +try_files \S+ @server;/gm)].map(
    ([, path]) => path,
  );
  assert.equal(forwarded, ['/api/', '/healthz', '/subscription/']);
  // Emails link to pages that the build has too, but only the server confirms and unsubscribes.
  assert.match(caddy, /^\t@missing \{\n\t\tmethod GET HEAD\n\t\tnot path \/api\/\* \/healthz \/subscription\/\*$/m);
  assert.match(caddy, /^\t\tnot path .* \/subscription\/\*$/m);
  // Scripts on any page may read everything, including `ETag`, as docs/api.md says.
  for (const proxy of [nginx, caddy]) assert.match(proxy, 'Access-Control-Expose-Headers ETag');
  // The server answers OPTIONS for each file, and says in `Allow` what a file accepts.
  assert.match(nginx, /location \/ \{[^{]*error_page 405 = @server;/);
  // Without a build, /404.html leads to itself.
  assert.match(nginx, /location = \/404\.html +\{ internal; recursive_error_pages off; \}/);
  assert.match(caddy, /handle @missing \{\n\t\terror 404\n\t\}\n(?:\t#.*\n)*\thandle \{\n\t\treverse_proxy/);
  const types = new Map(
    [...nginx.matchAll(/^ {12}(\w+\/\S+) +(\w[\w ]*);$/gm)].flatMap(([, type = '', extensions = '']) =>
      extensions.split(' ').map((extension) => [extension, type]),
    ),
  );
  const assets = 'avif css gif ico jpeg jpg js json mjs otf pdf png svg ttf txt webp woff woff2 zip'.split(' ');
  assert.equal(
    assets.map((extension) => [extension, types.get(extension)]),
    assets.map((extension) => [
      extension,
      siteRules.contentType(`assets/file.${extension}`)?.replace('; charset=utf-8', ''),
    ]),
  );
  assert.ok(nginx.includes('application/mcp-server-card+json'));
  // Caddy gives a file whose ending it does not know no type at all, and .csv its own. nginx has a default type.
  const plain = /^\t\t@plain path (.*)$/m.exec(caddy)?.[1]?.split(' ').sort();
  const isPlain = (extension: string) => configTypes[extension]?.startsWith('text/plain');
  assert.equal(
    plain,
    configExtensions
      .filter(isPlain)
      .map((extension) => `*.${extension}`)
      .sort(),
  );
});

test('Caddy waits longer for a body than the server, so that the reader gets its answer', () => {
  const limit = Number(/A request has to arrive within (\d+) seconds/.exec(fileOf('docs/contract.md'))?.[1]);
  for (const path of ['deploy/Caddyfile', 'docs/hosting.md'])
    assert.ok(Number(/read_body (\d+)s/.exec(fileOf(path))?.[1]) > limit, path);
});

test('systemd finds no mistake in a unit', async () => {
  await inFolder(async (folder) => {
    const found = await verifiedUnits(folder);
    if (found === null) process.stdout.write('skipped: there is no systemd-analyze\n');
    else assert.is(found, '');
  });
});

test.run();
