/**
 * Lets the conformance suite start on Node 20: its bundle imports globSync from fs, which is younger, and uses it for
 * none of the server scenarios. For `node --import`.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// The hooks run in a separate thread, which loads this file again.
if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes('/@modelcontextprotocol/conformance/')) return loaded;
  return { ...loaded, source: String(loaded.source).replace(/\bglobSync as \w+,/, '') };
}
