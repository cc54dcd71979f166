import pty from '@lydell/node-pty';
import { bin, inherited } from './process.ts';
import { patienceMs } from './until.ts';

/** `catalog` in a pseudo-terminal, as a person uses it. */
export interface TerminalSession {
  /** Waits until the program has written `text` after the text that the last call waited for. */
  sees(text: string): Promise<void>;
  /** Types text as it is; Enter is \r, Ctrl-C is \u0003, Ctrl-D is \u0004. */
  types(text: string): void;
  /** Waits for each text, then types the keys next to it. */
  plays(steps: readonly (readonly [text: string, keys: string])[]): Promise<void>;
  /** Sends a signal to the program. */
  kill(signal: NodeJS.Signals): void;
  /** Waits until the program ends. Returns the exit code and the content of the screen. */
  ends(): Promise<{ code: number; screen: string }>;
}

/** Starts the compiled `catalog` on a pseudo-terminal. With 0 `columns`, it has no size, as one that `script` makes. */
export function onTerminal(
  args: string[],
  { env = {}, columns = 100 }: { env?: NodeJS.ProcessEnv; columns?: number } = {},
): TerminalSession {
  const program = [process.execPath, bin, ...args];
  const [file = '', ...rest] =
    columns === 0 ? ['/bin/sh', '-c', 'stty cols 0 rows 0; exec "$@"', 'sh', ...program] : program;
  const child = pty.spawn(file, rest, {
    cols: columns || 100,
    rows: 40,
    env: { ...inherited(), TERM: 'xterm', ...env },
  });
  let screen = '';
  let seen = 0;
  let heard = () => {};
  let code: number | null = null;
  child.onData((text) => {
    screen += text;
    heard();
  });
  child.onExit(({ exitCode }) => {
    code = exitCode;
    heard();
  });

  function until(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((done, failed) => {
      const timer = setTimeout(() => {
        child.kill();
        failed(new Error(`${what} did not come within ${patienceMs} ms. The screen: ${screen}`));
      }, patienceMs);
      heard = () => {
        if (!isSo() && code === null) return;
        clearTimeout(timer);
        heard = () => {};
        if (isSo()) done();
        else failed(new Error(`The program ended with ${code} before ${what}. The screen: ${screen}`));
      };
      heard();
    });
  }

  async function sees(text: string): Promise<void> {
    await until(() => screen.indexOf(text, seen) !== -1, JSON.stringify(text));
    seen = screen.indexOf(text, seen) + text.length;
  }

  return {
    sees,
    types: (text) => child.write(text),
    async plays(steps) {
      for (const [text, keys] of steps) {
        await sees(text);
        if (keys !== '') child.write(keys);
      }
    },
    kill: (signal) => child.kill(signal),
    async ends() {
      await until(() => code !== null, 'the end');
      return { code: code ?? -1, screen };
    },
  };
}
