import { loadSettings } from '../../src/content/settings.ts';
import { publish } from '../../src/publish/publish.ts';

/** Publishes and pushes in a process that can be killed: `node publish-child.mjs <catalog> <day>`. Says when it begins. */

const [cwd, today] = process.argv.slice(2);
const settings = loadSettings(cwd, {}, {});
process.stdout.write('ready\n');
await publish({ cwd, settings, today, dryRun: false, commit: true, push: true, allowDirty: false, allowBehind: false });
