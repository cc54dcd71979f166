import { relative, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { checkUnchanged } from '../../build/last-build.ts';
import { UsageError } from '../../lib/errors.ts';
import type { OnProgress } from '../../lib/lazy.ts';
import { plural, visible } from '../../lib/text.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import type { Console } from '../console.ts';
import {
  type CatalogCommand,
  type CommonFlags,
  cacheFolder,
  openCatalog,
  outFolder,
  printForMachines,
} from '../options.ts';

interface Flags extends CommonFlags {
  future?: boolean;
  drafts?: boolean;
  skipInvalid?: boolean;
  installTree?: string;
}

export function addBuild(program: CatalogCommand, terminal: Console): void {
  program
    .command('build')
    .description('check, number and render all published agents and those due today')
    .share('cwd', 'out', 'today', 'baseUrl', 'runtimeUrl')
    .option('--future', 'include agents that are not due yet (a preview)')
    .option('--drafts', 'include drafts (a preview)')
    .option('--skip-invalid', 'skip new agents that have errors instead of failing')
    .option('--install-tree <dir>', 'also write the files of the branch that assistants install from')
    .formats('pretty', 'json', 'github')
    .explain(
      '\nExamples:\n  $ catalog build\n  $ catalog build --out preview --future --drafts\n  $ catalog build --base-url https://example.github.io/agents\n  $ catalog build --install-tree ../install\n',
    )
    .action((flags: Flags) => runBuild(flags, terminal).catch((error) => printErrors(error, flags, terminal)));
}

/** Prints the errors of a failed build to stdout too if a program reads it, and throws the error again. */
async function printErrors(error: unknown, flags: Flags, terminal: Console): Promise<never> {
  if (error instanceof ContentError) {
    await printForMachines(error, { format: flags.format, cwd: resolve(flags.cwd), terminal });
  }
  throw error;
}

async function runBuild(flags: Flags, terminal: Console): Promise<void> {
  const begun = performance.now();
  const out = outFolder(flags);
  const { day, info, written, tree, warnings, skipped, historyMissing } = await changedOnly(flags, out, terminal);

  if (warnings.length > 0) {
    const { hasErrors, prettyReport } = await import('../../schema/diagnostics/report.ts');
    const note = hasErrors(warnings)
      ? 'The build ignores these errors: they are in agents that it does not publish.\n'
      : '';
    terminal.say(`${prettyReport(warnings, { color: terminal.color })}\n${note}\n`);
  }
  for (const slug of skipped) terminal.say(`Skipped: ${visible(slug)} has errors. Fix them to publish it.\n`);
  if (historyMissing !== null) terminal.say(`${historyMissing}\n`);
  if (flags.format === 'github') {
    const { writeOutputs } = await import('../../publish/github.ts');
    writeOutputs(process.env, { id: info.id, ...(tree === null ? {} : { issue: String(tree.issue) }) });
  }
  if (flags.format === 'json')
    return terminal.printJson({ today: day, ...info, written, ...(tree === null ? {} : { tree }), skipped, warnings });
  const seconds = ((performance.now() - begun) / 1000).toFixed(2);
  terminal.say(
    `Built ${plural(info.counts.agents, 'agent')} for ${day} into ${flags.out ?? relative(flags.cwd, out)}: ${plural(info.counts.files, 'file')}, ` +
      `${written.changed} changed, ${written.removed} removed (build ${info.id.slice(0, 12)}, ${seconds} s).\n`,
  );
  if (tree === null) return;
  const { changed, removed, unchanged, repository } = tree;
  terminal.say(
    `Wrote the install tree into ${flags.installTree}: ${changed + unchanged} files, ${changed} changed, ${removed} removed.\n`,
  );
  if (repository === null)
    terminal.say('Set `repository` in catalog.config.json, so that its README and plugins name it.\n');
}

/** Builds, unless the last build into the folder would be the same again. Also returns the day that the build is for. */
async function changedOnly(flags: Flags, out: string, terminal: Console) {
  const cwd = resolve(flags.cwd);
  const { baseUrl, runtimeUrl, today, future = false, drafts = false, skipInvalid = false } = flags;
  const cache = cacheFolder(process.env);
  const { CATALOG_BASE_URL, CATALOG_RUNTIME_URL, PATH } = process.env;
  const options = [baseUrl, CATALOG_BASE_URL, runtimeUrl, CATALOG_RUNTIME_URL, future, drafts, skipInvalid, PATH];
  if (flags.installTree !== undefined && (future || drafts)) {
    throw new UsageError('--install-tree does not go with --future or --drafts: assistants would install a preview.');
  }
  const tree = flags.installTree === undefined ? undefined : resolve(cwd, flags.installTree);
  const place = cache === null || tree !== undefined ? null : { cwd, out, cache: resolve(cwd, cache), options };
  const { unchanged, inputs, remember } = checkUnchanged(place, today);
  if (unchanged !== null) {
    const written = { changed: 0, removed: 0, unchanged: unchanged.info.counts.files };
    return { ...unchanged, written, tree: null, warnings: [], skipped: [] };
  }
  // V8 11 (Node.js 20) optimizes a function after it ran for 300,000 bytes of its code instead of 67,584. A build ends
  // before most of what would be optimized has paid off: with 1,000 agents, it takes a sixth less processor time. Later
  // versions compile in other steps.
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=300000');
  // Memory grows by 40 % before garbage is collected. Otherwise, a large build would take several times what it needs. From
  // about 5,000 agents on, it may grow by 20 %, which takes a little more processor time.
  setFlagsFromString(`--heap-growing-percent=${(inputs?.paths.length ?? 0) < 25_000 ? 40 : 20}`);
  const { build } = await import('../../build/build.ts');
  const { asOnlyBuild } = await import('../../storage/build-folder.ts');
  // Errors in the settings are reported without a wait.
  await openCatalog(flags);
  const folders = [[out, '--out'] as const, ...(tree === undefined ? [] : [[tree, '--install-tree'] as const])];
  // Sources and settings may change, and a day may begin, while the build waits for another one.
  let sources = inputs;
  const say = (message: string) => {
    sources = null;
    terminal.say(message);
  };
  return asOnlyBuild(folders, say, async (beat) => {
    const { settings, today: day } = await openCatalog(flags);
    const selection = { today: day, future, drafts, skipInvalid };
    const onProgress: OnProgress = (...progress) => {
      beat();
      if (flags.format !== 'json') terminal.progress(...progress);
    };
    const knownSources = sources === null ? {} : { sources };
    const options = { cwd, out, installTree: tree, settings, cache, ...selection, onProgress, ...knownSources };
    const result = await build(options);
    const { info, warnings, skipped, historyMissing } = result;
    if (sources !== null && warnings.length + skipped.length === 0)
      remember({ day, info, historyMissing }, settings.timezone, result);
    return { ...result, day };
  });
}
