import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuseNoFolder } from '../build-folder/folder.ts';
import { isDraftName, replaceFile } from '../catalog/replace-file.ts';
import { OperationError } from '../errors.ts';
import type { Written } from './write.ts';

/** The names at the top of the install tree, and Git's own, so that the folder can be a working tree of the branch. */
const ownNames = [
  '.git',
  '.claude-plugin',
  '.agents',
  '.cursor-plugin',
  'gemini-extension.json',
  'plugins',
  'skills',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
];

/** Refuses a folder that has other files than an install tree: nothing in it may be removed. Throws OperationError. */
export function refuseOtherTrees(folder: string): void {
  refuseNoFolder(folder, '--install-tree');
  if (!existsSync(folder)) return;
  // A draft is what a killed build left. Writing the tree removes it.
  const other = readdirSync(folder).find((name) => !ownNames.includes(name) && !isDraftName(name));
  if (other === undefined) return;
  throw new OperationError(
    `${folder} contains ${other}, so it is not an install tree and was not changed. Name another folder with --install-tree, or empty this one first.`,
  );
}

/** Writes an install tree into a folder. Each file is replaced in one step, and files that the tree lacks are removed. */
export function writeInstallTree(folder: string, files: ReadonlyMap<string, string>): Written {
  refuseOtherTrees(folder);
  mkdirSync(folder, { recursive: true });
  const removed = listFiles(folder).filter((path) => !files.has(path));
  for (const path of removed) removeFile(folder, path);
  let changed = 0;
  for (const [path, text] of files) {
    const file = join(folder, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, text);
    changed += 1;
  }
  return { changed, removed: removed.length, unchanged: files.size - changed };
}

/** The paths of all files in the folder other than Git's own. */
function listFiles(root: string, below = ''): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}${entry.name}`;
    if (path === '.git') return [];
    return entry.isDirectory() ? listFiles(root, `${path}/`) : [path];
  });
}

/** Removes a file, and the folders that are empty without it. */
function removeFile(root: string, path: string): void {
  rmSync(join(root, path));
  for (
    let folder = dirname(path);
    folder !== '.' && readdirSync(join(root, folder)).length === 0;
    folder = dirname(folder)
  ) {
    rmdirSync(join(root, folder));
  }
}
