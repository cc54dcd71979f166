import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from '../catalog.ts';
import { agentMd, file, type Mistake, md, one, prompt } from './row.ts';

/** Mistakes in the folders and files of agents: their names, and whether the program can read them. */
export const folderMistakes: Mistake[] = [
  {
    name: 'a file named agents',
    code: 'agents/unreadable',
    at: 'agents:1:1',
    change: (folder) => replaceAgents(folder),
  },
  {
    name: 'an agent that makes the program fail',
    code: 'agent/unprocessable',
    at: `${md}:1:1`,
    agents: file('agent.md', agentMd.replace('It works', 'It works somehow')),
    breakOn: 'somehow',
  },
  {
    name: 'a file among the folders',
    code: 'folder/not-a-folder',
    at: 'agents/notes.txt:1:1',
    change: (folder) => writeFiles(folder, { 'agents/notes.txt': 'Remember the milk.\n' }),
  },
  {
    name: 'a folder name with capitals and spaces',
    code: 'folder/name',
    at: 'agents/My Agent:1:1',
    agents: one({ slug: 'My Agent' }),
  },
  {
    name: 'a slug is too long',
    code: 'folder/name',
    at: `agents/${'a'.repeat(65)}:1:1`,
    agents: one({ slug: 'a'.repeat(65) }),
  },
  {
    name: 'a slug that Windows reserves',
    code: 'folder/reserved-name',
    at: 'agents/con:1:1',
    agents: one({ slug: 'con' }),
  },
  {
    name: 'a slug that MCP reserves',
    code: 'folder/reserved-name',
    at: 'agents/catalog:1:1',
    agents: one({ slug: 'catalog' }),
  },
  {
    name: 'a slug that is the page of its folder',
    code: 'folder/reserved-name',
    at: 'agents/index:1:1',
    agents: one({ slug: 'index' }),
  },
  {
    name: 'a folder that cannot be read',
    code: 'folder/unreadable',
    at: 'agents/one:1:1',
    unreadable: join('agents', 'one'),
  },
  {
    name: 'a file cannot be read',
    code: 'folder/unreadable',
    at: 'agents/one/prompt.txt:1:1',
    unreadable: join('one', 'prompt.txt'),
  },
  {
    name: 'a folder that is a symbolic link',
    code: 'folder/symlink',
    at: 'agents/two:1:1',
    change: (folder) => symlinkSync('one', join(folder, 'agents', 'two')),
  },
  {
    name: 'a file is a symbolic link',
    code: 'folder/symlink',
    at: 'agents/one/prompt.txt:1:1',
    change(folder) {
      rmSync(join(folder, 'agents/one/prompt.txt'));
      symlinkSync('/etc/hostname', join(folder, 'agents/one/prompt.txt'));
    },
  },
  {
    name: 'the folder evals/ cannot be read',
    code: 'folder/unreadable',
    at: 'agents/one/evals:1:1',
    change: (folder) => mkdirSync(join(folder, 'agents/one/evals')),
    unreadable: join('one', 'evals'),
  },
  {
    name: 'the folder evals/ is a symbolic link',
    code: 'folder/symlink',
    at: 'agents/one/evals:1:1',
    change: (folder) => symlinkSync('..', join(folder, 'agents/one/evals')),
  },
  {
    name: 'a missing file',
    code: 'folder/missing-file',
    at: 'agents/one:1:1',
    agents: file('sample-output.txt', null),
  },
  {
    name: 'a file has nearly the right name',
    code: 'folder/missing-file',
    at: 'agents/one/promt.txt:1:1',
    agents: one({ files: { 'prompt.txt': null, 'promt.txt': prompt } }),
  },
  {
    name: 'a file that does not belong there',
    code: 'folder/unknown-file',
    at: 'agents/one/notes.txt:1:1',
    agents: file('notes.txt', 'x\n'),
  },
  {
    name: 'a folder within the folder',
    code: 'folder/unknown-file',
    at: 'agents/one/images:1:1',
    change: (folder) => writeFiles(folder, { 'agents/one/images/a.txt': 'x\n' }),
  },
  {
    name: 'two configs',
    code: 'folder/two-configs',
    at: 'agents/one/config.md:1:1',
    agents: one({ files: { 'config.json': '{}\n', 'config.md': 'x\n' } }),
  },
  {
    name: 'a file that is too large',
    code: 'file/too-large',
    at: 'agents/one/sample-input.txt:1:1',
    agents: file('sample-input.txt', 'x'.repeat(262_145)),
  },
  {
    name: 'an empty file',
    code: 'file/empty',
    at: 'agents/one/sample-input.txt:1:1',
    agents: file('sample-input.txt', '\n'),
  },
  {
    name: 'agent.md has no body',
    code: 'file/empty',
    at: `${md}:30:4`,
    agents: file('agent.md', agentMd.replace(/It works.*\n/, '')),
  },
  {
    name: 'a file in Latin-1',
    code: 'file/encoding',
    at: 'agents/one/sample-input.txt:2:4',
    agents: file('sample-input.txt', Buffer.from('TEXT: hello\ncafé\n', 'latin1')),
  },
  {
    name: 'Windows line endings',
    code: 'file/line-ends',
    at: 'agents/one/prompt.txt:1:6',
    agents: file('prompt.txt', prompt.replaceAll('\n', '\r\n')),
  },
  {
    name: 'Windows line ends in agent.md',
    code: 'file/line-ends',
    at: `${md}:1:4`,
    agents: file('agent.md', agentMd.replaceAll('\n', '\r\n')),
  },
  {
    name: 'a prompt that ends without a newline',
    code: 'file/final-newline',
    at: 'agents/one/prompt.txt:8:20',
    agents: file('prompt.txt', prompt.trimEnd()),
  },
  {
    name: 'the prompt ends with blank lines',
    code: 'file/final-newline',
    at: 'agents/one/prompt.txt:8:20',
    agents: file('prompt.txt', `${prompt}\n\n`),
  },
];

function replaceAgents(folder: string): void {
  rmSync(join(folder, 'agents'), { recursive: true });
  writeFiles(folder, { agents: 'not a folder\n' });
}
