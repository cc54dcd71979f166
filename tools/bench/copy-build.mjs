/** Reads the sources of a catalog, and writes the bytes of its build to another folder: `<catalog> <dist> <copy>`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [catalog = '', dist = '', copy = ''] = process.argv.slice(2);
readAll(join(catalog, 'agents'));
copyAll(dist, copy);

function readAll(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) readAll(join(folder, entry.name));
    else readFileSync(join(folder, entry.name));
  }
}

function copyAll(from, to) {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyAll(join(from, entry.name), join(to, entry.name));
    else writeFileSync(join(to, entry.name), readFileSync(join(from, entry.name)));
  }
}
