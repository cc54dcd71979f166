/** Writes the build whose files stand in the JSON file argv[3] (path → latin1) into argv[2], to be killed on the way. */
import { readFileSync } from 'node:fs';
import { writeBuild } from '../../lib/build/write.js';

const files = Object.entries(JSON.parse(readFileSync(process.argv[3], 'utf8')));
writeBuild(process.argv[2], new Map(files.map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')])));
