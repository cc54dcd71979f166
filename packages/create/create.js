#!/usr/bin/env node
// `npm create daily-agent-catalog my-catalog` is `catalog init my-catalog`.
process.argv.splice(2, 0, 'init');
await import('daily-agent-catalog/bin/catalog.js');
