import { extname } from 'node:path/posix';
import { type Artifact, json, plain } from './artifact.ts';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': json,
};

/** Styles, fonts and the like, as they lie in templates/assets. Pages add `?v=<hash>` to their addresses. */
export default {
  path: 'assets/{file}',
  type: (path) => types[extname(path)] ?? plain,
  purpose: 'Styles and the like',
  *files({ assets }) {
    for (const [path, bytes] of assets) yield { path, render: () => bytes };
  },
} satisfies Artifact;
