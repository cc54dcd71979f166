import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import type { RuleCode } from '../../src/schema/rules.ts';
import { type SmallAgent, smallAgent, smallSettings } from './catalog.ts';
import { goodPrompt } from './good-agent.ts';

/**
 * One mistake each, as editors make them: what is reported, and where. Exactly one message is reported for each, on the
 * guilty file, and also beside any other mistake.
 */
export interface SingleMistake {
  name: string;
  code: RuleCode;
  /** `file:line:column-column after the end`; the file is named from the agent's folder, from the catalog's folder for settings. */
  at: string;
  /** The message. */
  says: string;
  /** The hint. */
  fix: string;
  /** What it changes of the agent: lines of front matter, or files; null removes one. */
  front: Record<string, string | null>;
  files: Record<string, string | Uint8Array | null>;
  /** The text of the settings, where the mistake is in them. */
  settings?: string;
}

const slug = 'three';
const date = '2026-03-03';
const agentMd = String(smallAgent({ slug, date })['agent.md']);
const good = JSON.stringify(smallSettings, null, 2);

/** The agent with mistakes in it; `name` and `day` tell it from others with mistakes, and so does a title of one length. */
export function agentWith(mistakes: readonly SingleMistake[], name = slug, day = date): SmallAgent {
  const title = `The ${name === slug ? slug : name.replace(/\D/g, '').padStart(slug.length, '0')} agent`;
  const files = Object.fromEntries(
    mistakes
      .flatMap((mistake) => Object.entries(mistake.files))
      .map(([file, content]) => [
        file,
        typeof content === 'string'
          ? content
              .replace(`date: ${date}\n`, `date: ${day}\n`)
              .replace('title: The three agent\n', `title: ${title}\n`)
          : content,
      ]),
  );
  const front = Object.assign({}, ...mistakes.map((mistake) => mistake.front));
  if (typeof front.date === 'string') front.date = front.date.replace(`${date}\n`, `${day}\n`);
  return { slug: name, date: day, front: { title, ...front }, files };
}

/** The points of a demo at these seconds. */
function demo(seconds: string): string {
  const points = seconds
    .split(' ')
    .map((second, index) => `\n  - { second: ${second}, label: Point ${index + 1}, detail: It goes on. }`);
  return points.join('');
}

function edited(text: string, change: string): string {
  const [from = '', to = ''] = change.split(' → ');
  assert.ok(text.includes(from), `"${from}" is not there.`);
  return text.replace(from, () => to);
}

/**
 * Returns the content that a cell of the table describes: AGENT and PROMPT are the texts of the good agent, and hex: means
 * bytes.
 */
function contentOf(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  if (cell.startsWith('hex:')) return new Uint8Array(Buffer.from(cell.slice(4), 'hex'));
  return { AGENT: agentMd, PROMPT: goodPrompt }[cell] ?? cell;
}

type Change = Pick<SingleMistake, 'front' | 'files' | 'settings'>;

function changeOf(kind: string, change: string): Change {
  const none = { front: {}, files: {} };
  switch (kind) {
    case 'key': {
      const lines = change.split('; ').map((line) => /^(\w+): ?([\s\S]*)$/.exec(line) ?? []);
      const front = lines.map(([, key = '', value = '']) => [
        key,
        value === '~' ? null : value.replace(/^DEMO (.*)$/, (_, seconds) => demo(seconds)),
      ]);
      return { ...none, front: Object.fromEntries(front) };
    }
    case 'agent.md':
      return { ...none, files: { 'agent.md': edited(agentMd, change) } };
    case 'prompt.txt':
      return { ...none, files: { 'prompt.txt': edited(goodPrompt, change) } };
    case 'files':
      return { ...none, files: JSON.parse(change, (_key, value) => contentOf(value)) };
    case 'settings':
      return { ...none, settings: edited(good, change) };
    default: {
      const given = Object.entries({ ...smallSettings, ...JSON.parse(change) }).filter(([, value]) => value !== null);
      return { ...none, settings: JSON.stringify(Object.fromEntries(given), null, 2) };
    }
  }
}

const table = readFileSync(new URL('../fixtures/single-mistakes.txt', import.meta.url), 'utf8');

const written: SingleMistake[] = table
  .split('\n')
  .filter((line) => line.includes(' | ') && !line.startsWith('#'))
  .map((line) => {
    const cells = line.replaceAll('↵', '\n').replaceAll('⇥', '\t').replaceAll('␇', '\x07').split(' | ');
    assert.is(cells.length, 7, line);
    const [kind = '', name = '', change = '', code, place, says = '', fix = ''] = cells;
    const file = { key: 'agent.md:', files: '', setting: 'catalog.config.json:', settings: 'catalog.config.json:' }[
      kind
    ];
    return { name, code: code as RuleCode, at: `${file ?? `${kind}:`}${place}`, says, fix, ...changeOf(kind, change) };
  });

/** Mistakes of whole files that the table cannot hold. */
const encoded: SingleMistake[] = (
  [
    [
      'front matter in a code block',
      `\`\`\`yaml\n${agentMd}\`\`\`\n`,
      'front-matter/missing',
      '1:1-8',
      'The front matter is in a code block.',
      'Remove the code fence: `---` has to be the first line.',
    ],
    [
      'a byte-order mark',
      `\ufeff${agentMd}`,
      'text/hidden-character',
      '1:1-2',
      'agent.md starts with a byte-order mark (BOM), an invisible character.',
      'Save the file as UTF-8 without a BOM.',
    ],
    [
      'Windows line ends',
      agentMd.replaceAll('\n', '\r\n'),
      'file/line-ends',
      '1:4-5',
      'agent.md has CR line endings (Windows or old Mac).',
      'Save the file with LF line endings; the `.gitattributes` line `* text=auto eol=lf` enforces them.',
    ],
    [
      'UTF-16',
      Buffer.from(`\ufeff${agentMd}`, 'utf16le'),
      'file/encoding',
      '1:1-2',
      'agent.md is UTF-16 text; it has to be UTF-8.',
      'Save the file as UTF-8.',
    ],
    ...([Buffer.from(agentMd, 'utf16le'), Buffer.from(agentMd, 'utf16le').swap16()] as const).map(
      (bytes, index) =>
        [
          `UTF-16 without a byte-order mark, ${index === 0 ? 'little' : 'big'}-endian`,
          bytes,
          'file/encoding',
          '1:1-2',
          'agent.md is UTF-16 text; it has to be UTF-8.',
          'Save the file as UTF-8.',
        ] as const,
    ),
  ] as const
).map(([name, text, code, place, says, fix]) => ({
  name,
  code,
  at: `agent.md:${place}`,
  says,
  fix,
  front: {},
  files: { 'agent.md': text },
}));

const ofSettings: SingleMistake[] = (
  [
    [
      'empty settings',
      '',
      'catalog.config.json is empty.',
      'Write the settings, or start from the file that `catalog init` creates.',
    ],
    [
      'settings with a byte-order mark',
      `\ufeff${good}`,
      'catalog.config.json starts with a byte-order mark (BOM), an invisible character.',
      'Save the file as UTF-8 without a BOM.',
    ],
  ] as const
).map(([name, settings, says, fix]) => ({
  name,
  code: 'settings/json',
  at: 'catalog.config.json:1:1-2',
  says,
  fix,
  front: {},
  files: {},
  settings,
}));

export const singleMistakes: readonly SingleMistake[] = [...written, ...encoded, ...ofSettings];
