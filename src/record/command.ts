import { isUtf8 } from 'node:buffer';
import { type ExecException, exec } from 'node:child_process';
import { maskSecrets } from '../text-safety/find-secrets.ts';
import { type Model, NoAnswer, type Reply } from './model.ts';

/** The largest output that is read, in bytes. */
const maxBuffer = 2 * 1024 * 1024;

/** Returns a model that a shell command asks: it gets the message on stdin and prints the answer. */
export function commandModel(command: string, name: string, timeoutMs: number): Model {
  const ask = (message: string) =>
    new Promise<Reply>((resolve, reject) => {
      const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer, encoding: 'buffer' } as const;
      const child = exec(command, options, (error, stdout, stderr) => {
        if (error !== null) reject(failure(error, stderr.toString('utf8'), timeoutMs));
        else if (isUtf8(stdout)) resolve({ text: stdout.toString('utf8') });
        else reject(new NoAnswer('The output of the command is not UTF-8 text.'));
      });
      // A command that ends early does not read all of its input.
      child.stdin?.on('error', () => {});
      child.stdin?.end(message);
    });
  return { name, made: 'command', ask };
}

function failure({ code, killed }: ExecException, stderr: string, timeoutMs: number): NoAnswer {
  if (String(code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new NoAnswer(`The command printed more than ${maxBuffer} bytes.`);
  if (killed) return new NoAnswer(`The command took more than ${timeoutMs / 1000} seconds.`);
  const said = maskSecrets(stderr.trim()).split('\n').at(-1)?.slice(0, 300);
  // The shell ends with 126 or 127 if it cannot run a program.
  return new NoAnswer(
    `The command failed (exit code ${code})${said ? `: ${said}` : '.'}`,
    code === 126 || code === 127,
  );
}
