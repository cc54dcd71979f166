import { chmodSync } from 'node:fs';
import { type Server as Listener, createServer as listen, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFiles } from './catalog.ts';
import { bin, catalog, type Finished } from './process.ts';
import { writeSsh } from './ssh.ts';

/** What a forge has for npm, npx, gh and ssh on the PATH: no network, and the compiled program with a shifted clock. */

const shiftClock = fileURLToPath(new URL('./shift-clock.mjs', import.meta.url));
const RealDate = Date;
/** Writes the programs into a folder. With PROGRAM_PORT set, npx runs `catalog` by way of `serveProgram`. */
export function writeTools(tools: string): void {
  const script = (...lines: string[]) => `#!/bin/sh\n${lines.join('\n')}\n`;
  writeFiles(tools, {
    npm: script('case "$*" in "ci --ignore-scripts" | "run prepare --if-present") exit 0 ;; esac', 'exit 97'),
    npx: `#!/usr/bin/env bash
[ "$1 $2" = "--no daily-agent-catalog" ] || exit 98
shift 2
[ -n "$PROGRAM_PORT" ] || exec '${process.execPath}' --import '${shiftClock}' '${bin}' "$@"
exec 3<>"/dev/tcp/127.0.0.1/$PROGRAM_PORT"
{ printf '%s\\0' "$PWD" $# "$@"; env -0; printf '\\0'; } >&3
for field in code stdout stderr; do IFS= read -r -d '' $field <&3; done
printf %s "$stdout"
printf %s "$stderr" >&2
exit "$code"
`,
    gh: script(
      'case "$GH_TOKEN $*" in',
      `'token-of-the-job api repos/press/catalog --jq "\\(.fork) \\(.private)"') echo "$FORK $PRIVATE" ;;`,
      `'token-of-the-job api repos/press/catalog/pages --jq .build_type') echo "$BUILD_TYPE" ;;`,
      '*) exit 96 ;;',
      'esac',
    ),
    date: script('[ "$*" = "-u +%H" ] || exit 95', 'echo "$HOUR"'),
  });
  for (const name of ['npm', 'npx', 'gh', 'date']) chmodSync(join(tools, name), 0o755);
  writeSsh(tools);
}

/**
 * Runs `catalog` in this process for the imitation of npx, which sends its folder, its arguments with their count, and
 * its environment, each ended by a zero byte. It gets the exit code, stdout and stderr in the same form.
 */
export function serveProgram(): Promise<Listener> {
  const answer = async (socket: Socket, request: string) => {
    const [cwd = '', count = '', ...rest] = request.split('\0');
    const args = rest.slice(0, Number(count));
    const lines = rest.slice(args.length).filter((line) => line !== '');
    const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
    const { code, stdout, stderr } = await runCatalog(args, { cwd, env });
    socket.end(`${code}\0${stdout}\0${stderr}\0`);
  };
  const server = listen((socket) => {
    let request = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      request += text;
      if (request.endsWith('\0\0')) answer(socket, request).catch((error) => socket.end(`99\0\0${error.stack}\0`));
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs `catalog` in this process at the time of the runner. */
function runCatalog(args: string[], place: Place): Promise<Finished> {
  return atShiftedTime(Number(place.env.CLOCK_SHIFT), () => catalog(args, place));
}

/** Does what `npx` and `npm` above do with these words, without a process; undefined for other commands. */
export function runHere(words: readonly string[], place: Place): Promise<Finished> | undefined {
  const [program, first, second, ...args] = words;
  if (`${program} ${first} ${second}` === 'npx --no daily-agent-catalog') return runCatalog(args, place);
  const isInstalled = ['npm ci --ignore-scripts', 'npm run prepare --if-present'].includes(words.join(' '));
  return isInstalled ? Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '', shown: '' }) : undefined;
}

/** Shifts the clock by `shift` milliseconds, as shift-clock.mjs does in another process. */
export async function atShiftedTime<Result>(shift: number, use: () => Promise<Result>): Promise<Result> {
  globalThis.Date = class extends RealDate {
    constructor(...args: [] | [number]) {
      super(...((args.length === 0 ? [RealDate.now() + shift] : args) as [number]));
    }
    static override now() {
      return RealDate.now() + shift;
    }
  } as DateConstructor;
  try {
    return await use();
  } finally {
    globalThis.Date = RealDate;
  }
}
