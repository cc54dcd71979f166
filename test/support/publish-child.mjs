import { loadSettings } from '../../lib/catalog/settings.js';
import { publish } from '../../lib/publish/publish.js';

/** Publishes and pushes in a process that can be killed: `node publish-child.mjs <catalog> <day>`. Says when it begins. */

const [cwd, today] = process.argv.slice(2);
const settings = loadSettings(cwd, {}, {});
process.stdout.write('ready\n');
await publish({ cwd, settings, today, dryRun: false, commit: true, push: true, allowDirty: false, allowBehind: false });
