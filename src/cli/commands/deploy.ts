import { type Command, Option } from 'commander';
import { UsageError } from '../../diagnostics/diagnostic.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, given, outFolder, outOption } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'out'> {
  ssh?: string;
}

export function addDeliver(program: Command, terminal: Console): void {
  program
    .command('deliver')
    .description('send a build to the host of a runtime, which takes it up at once')
    .argument('[target]', 'user@host:/folder, or ssh://user@host:port/folder (or RUNTIME_TARGET)')
    .addOption(cwdOption())
    .addOption(outOption())
    .addOption(new Option('--ssh <command>', 'what to run in place of ssh and the host; gets a shell script'))
    .addHelpText(
      'after',
      '\nThe build goes into <folder>/builds/<id>, the link <folder>/dist is switched to it, the last three builds stay.\n' +
        'Let the runtime serve that link: catalog serve --dist <folder>/dist\n' +
        '\nRUNTIME_SSH_KEY is a private key, RUNTIME_KNOWN_HOSTS the lines by which the host is known; without them ssh\n' +
        'uses what is set up for the person who runs it.\n' +
        '\nExamples:\n  $ catalog deliver catalog@runtime.example.com:/srv/catalog\n  $ catalog deliver --ssh "sh -c" here:/srv/catalog\n',
    )
    .action((target: string | undefined, flags: Flags) => runDeliver(target, flags, terminal));
}

async function runDeliver(argument: string | undefined, flags: Flags, terminal: Console): Promise<void> {
  const { completePending } = await import('../../build-folder/pending.ts');
  const { readBuildInfo } = await import('../../build-folder/read-build.ts');
  const { deliver } = await import('../../deploy/deploy.ts');
  const { parseTarget } = await import('../../deploy/target.ts');
  const { RUNTIME_TARGET, RUNTIME_SSH_KEY, RUNTIME_KNOWN_HOSTS } = process.env;
  const text = given(argument, RUNTIME_TARGET, '');
  if (text === '') throw new UsageError('Name the target, or set RUNTIME_TARGET.');
  const target = parseTarget(text);
  const dist = outFolder(flags);
  const build = readBuildInfo(dist);
  // What a killed build left beside the folder belongs to the build that is sent.
  completePending(dist);
  await deliver({
    dist,
    build,
    target,
    ssh: flags.ssh ?? null,
    key: RUNTIME_SSH_KEY || null,
    knownHosts: RUNTIME_KNOWN_HOSTS || null,
  });
  terminal.say(`Delivered build ${build.id.slice(0, 12)} to ${target.host}:${target.folder}.\n`);
}
