/**
 * Writes the build whose files are in the JSON file argv[3] (path → latin1) to argv[2]. It is killed while it writes.
 */
import { readFileSync } from 'node:fs';
import { writeBuild } from './write-build.ts';

const files = Object.entries(JSON.parse(readFileSync(process.argv[3], 'utf8')));
writeBuild(process.argv[2], new Map(files.map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')])));
