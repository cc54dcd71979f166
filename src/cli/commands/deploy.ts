import { UsageError } from '../../lib/errors.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, firstOf, outFolder } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'out'> {
  ssh?: string;
}

export function addDeploy(program: CatalogCommand, terminal: Console): void {
  program
    .command('deploy')
    .description('upload a build over SSH and switch the server to it')
    .argument('[target]', 'user@host:/folder, or ssh://user@host:port/folder (or RUNTIME_TARGET)')
    .share('cwd', 'out')
    .option('--ssh <command>', 'run this command instead of ssh; it gets a shell script as its last argument')
    .explain(
      '\nUploads the build to <folder>/builds/<id>, points the symlink <folder>/dist to it and keeps the last three builds.\n' +
        'A preview, made with --future or --drafts, is refused.\n' +
        'Run the server on that symlink: npx --no daily-agent-catalog serve --out <folder>/dist\n' +
        '\nRUNTIME_SSH_KEY can contain a private key, and RUNTIME_KNOWN_HOSTS the known_hosts lines of the host. Without\n' +
        'them, ssh uses your own keys and known hosts.\n' +
        '\nExamples:\n  $ catalog deploy catalog@server.example.com:/var/lib/catalog\n  $ catalog deploy --ssh "sh -c" here:/var/www/catalog\n',
    )
    .action((target: string | undefined, flags: Flags) => deployBuild(target, flags, terminal));
}

async function deployBuild(argument: string | undefined, flags: Flags, terminal: Console): Promise<void> {
  const { asOnlyBuild, completePending, readBuildInfo } = await import('../../storage/build-folder.ts');
  const { deploy, parseTarget } = await import('../../publish/deploy.ts');
  const { RUNTIME_TARGET, RUNTIME_SSH_KEY, RUNTIME_KNOWN_HOSTS } = process.env;
  const text = firstOf(argument, RUNTIME_TARGET, '');
  if (text === '') throw new UsageError('Name the target, or set RUNTIME_TARGET.');
  const target = parseTarget(text);
  const dist = outFolder(flags);
  readBuildInfo(dist);
  const say = (message: string) => terminal.say(message);
  // A build that replaced files meanwhile would leave the target with files of both.
  await asOnlyBuild([[dist, '--out']], say, async () => {
    const build = readBuildInfo(dist);
    // If the last build was killed, some of its files are still outside the folder.
    completePending(dist);
    const access = { ssh: flags.ssh ?? null, key: RUNTIME_SSH_KEY || null, knownHosts: RUNTIME_KNOWN_HOSTS || null };
    await deploy({ dist, build, target, ...access });
    say(`Deployed build ${build.id.slice(0, 12)} to ${target.host}:${target.folder}.\n`);
  });
}
