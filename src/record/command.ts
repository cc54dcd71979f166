import { isUtf8 } from 'node:buffer';
import { type Ended, runChild } from '../children.ts';
import { maskSecrets } from '../text-safety/find-secrets.ts';
import { type Model, NoAnswer } from './model.ts';

/** The largest output that is read, in bytes. */
const maxBytes = 2 * 1024 * 1024;

/** Returns a model that a shell command asks: it gets the message on stdin and prints the answer. */
export function commandModel(command: string, name: string, timeoutMs: number): Model {
  const ask = async (input: string) => {
    const ended = await runChild(command, [], { shell: true, ownGroup: true, input, timeoutMs, maxBytes });
    if (ended.code !== 0) throw failure(ended, timeoutMs);
    if (isUtf8(ended.stdout)) return { text: ended.stdout.toString('utf8') };
    throw new NoAnswer('The output of the command is not UTF-8 text.');
  };
  return { name, made: 'command', ask };
}

function failure({ code, stderr, failure: why }: Ended, timeoutMs: number): NoAnswer {
  if (why === 'output') return new NoAnswer(`The command printed more than ${maxBytes} bytes.`);
  if (why === 'timeout') return new NoAnswer(`The command took more than ${timeoutMs / 1000} seconds.`);
  const said = maskSecrets(stderr.toString('utf8').trim()).split('\n').at(-1)?.slice(0, 300);
  // The shell ends with 126 or 127 if it cannot run a program.
  return new NoAnswer(
    `The command failed (exit code ${code})${said ? `: ${said}` : '.'}`,
    code === 126 || code === 127,
  );
}
