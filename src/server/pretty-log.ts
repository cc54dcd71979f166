import { painter } from '../diagnostics/report.ts';
import { visible } from '../text-safety/printable.ts';

type Fields = Record<string, unknown>;

const levels: Record<number, [name: string, color: Parameters<ReturnType<typeof painter>>[0]]> = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'dim'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};

/**
 * Formats a JSON line of the server's log for a terminal: time of day, level unless it is `info`, message and fields.
 * Control characters in texts of readers are made visible.
 */
export function prettyLine(json: string, { color }: { color: boolean }): string {
  let fields: Fields;
  try {
    fields = JSON.parse(json) as Fields;
  } catch {
    return `${visible(json)}\n`;
  }
  const { level, time, pid, hostname, msg, err, ...rest } = fields;
  const paint = painter(color);
  const [name, shade] = levels[Number(level)] ?? ['info', 'dim'];
  const mark = name === 'info' ? '' : `${paint(shade, name)} `;
  const what = msg === 'request' ? requestText(rest) : [visible(String(msg ?? '')), ...fieldTexts(rest)].join('  ');
  return `${paint('dim', clock(Number(time)))} ${mark}${what}\n${errorText(err)}`;
}

function requestText({ method, path, status, ms, ...rest }: Fields): string {
  return [visible(`${status} ${method} ${path}`), `${ms} ms`, ...fieldTexts(rest)].join('  ');
}

function fieldTexts(fields: Fields): string[] {
  return Object.entries(fields).map(([key, value]) =>
    visible(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  const lines = String(stack ?? message ?? JSON.stringify(error)).split('\n');
  return lines.map((line) => `    ${visible(line)}\n`).join('');
}

function clock(time: number): string {
  const date = new Date(Number.isFinite(time) ? time : Date.now());
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
