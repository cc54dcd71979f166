/**
 * Lets the conformance suite start on Node 20: its bundle imports globSync from fs, which is younger, and uses it for
 * none of the server scenarios. It also runs several commands one after the other, with `--` between them, since to start
 * takes most of the time. For `node --import`.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// The hooks run in a separate thread, which loads this file again.
if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes('/@modelcontextprotocol/conformance/')) return loaded;
  const source = String(loaded.source)
    .replace(/\bglobSync as \w+,/, '')
    .replace(
      /,(\w+)\.parse\(\);(?=export\{\};\s*$)/,
      `;const ended = Symbol('ended');
process.exit = () => { throw ended; };
for (const args of process.argv.slice(2).join('\\0').split('\\0--\\0'))
  await $1.parseAsync(args.split('\\0'), { from: 'user' }).catch((error) => { if (error !== ended) throw error; });`,
    );
  return { ...loaded, source };
}
