#!/usr/bin/env node
// Plain JavaScript that any Node.js still in use can read, so that an old one gets a sentence instead of a stack trace.
import { readFileSync } from 'node:fs';
import module from 'node:module';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major, minor] = needed.split('.').map(Number);
const [hasMajor, hasMinor] = process.versions.node.split('.').map(Number);

if (hasMajor < major || (hasMajor === major && hasMinor < minor)) {
  console.error(
    `catalog needs Node.js ${needed} or later, and this is ${process.versions.node}. Install a newer Node.js.`,
  );
  process.exitCode = 1;
} else {
  // Node.js 22.1 and later keep what they compiled for the next start.
  module.enableCompileCache?.();
  const { main } = await import('../lib/main.js');
  process.exitCode = await main(process.argv);
}
