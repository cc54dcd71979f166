import { type Case, type Check, type CheckKind, regexCode } from '../../schema/evals.ts';
import { kindOf } from './grade.ts';

/**
 * The exact message that a model gets for a case: the prompt without white space at its end, one blank line, and the
 * input as it is. Without the prompt, the message is the input alone.
 */
export function messageOf(prompt: string, input: string): string {
  return `${prompt.trimEnd()}\n\n${input}`;
}

/** An agent with its cases. */
interface AgentCases {
  slug: string;
  prompt: string;
  cases: readonly Case[];
}

/** The checks that promptfoo does not have. */
const ownKinds: readonly CheckKind[] = [
  'line-count',
  'headings',
  'table-columns',
  'quotes-in-input',
  'numbers-in-input',
  'computed-number',
  'table-cell',
  'says',
];

/**
 * Returns the cases of agents as a configuration of promptfoo (https://promptfoo.dev/config-schema.json). `left` are the checks that it does not have.
 */
export function promptfooConfig(
  agents: readonly AgentCases[],
  providers: readonly string[],
): { config: object; left: CheckKind[] } {
  const tests = agents.flatMap(({ slug, prompt, cases }) =>
    cases.map(({ name, input, checks }) => ({
      description: `${slug}: ${name}`,
      vars: { message: literal(messageOf(prompt, input)) },
      assert: checks.flatMap(assertionOf),
      metadata: { agent: slug, case: name },
    })),
  );
  const config = {
    description: 'Cases of catalog eval',
    prompts: [{ raw: '{{message}}', label: 'prompt and input' }],
    // White space around an answer does not count.
    defaultTest: { options: { transform: "typeof output === 'string' ? output.trim() : output" } },
    ...(providers.length > 0 && { providers }),
    tests,
  };
  const kinds = agents.flatMap(({ cases }) => cases.flatMap(({ checks }) => checks.map(kindOf)));
  return { config, left: kinds.filter((kind) => ownKinds.includes(kind)) };
}

function assertionOf(check: Check): { type: string; value?: unknown }[] {
  const kind = kindOf(check);
  if (ownKinds.includes(kind)) return [];
  const code = codeOf(check);
  if (code !== null) return [{ type: 'javascript', value: literal(code) }];
  const value = check[kind];
  if (value === true) return [{ type: kind }];
  if (Array.isArray(value)) return [{ type: kind, value: value.map((text) => literal(String(text))) }];
  if (typeof value !== 'string') return [{ type: kind, value }];
  if (kind.endsWith('equals')) return [{ type: kind, value: literal(value.trim()) }];
  return [{ type: kind, value: literal(value) }];
}

/** Returns a check in JavaScript, if promptfoo has it in no other way. Its regular expressions have no flags. */
function codeOf(check: Check): string | null {
  const { regex, 'not-regex': forbidden, 'matching-lines': lines, 'last-line': last, 'lines-in-order': order } = check;
  if (regex !== undefined) return `${regexCode(regex)}.test(output)`;
  if (forbidden !== undefined) return `!${regexCode(forbidden)}.test(output)`;
  if (last !== undefined) return `${JSON.stringify(last)}.some((text) => output.split('\\n').at(-1).startsWith(text))`;
  if (lines !== undefined) {
    const { regex: each, min = 0, max = Number.MAX_SAFE_INTEGER } = lines;
    const count = `output.split('\\n').filter((line) => ${regexCode(each)}.test(line)).length`;
    return `((count) => count >= ${min} && count <= ${max})(${count})`;
  }
  if (order === undefined) return null;
  const lower = JSON.stringify(order.map((text) => text.toLowerCase()));
  return `output.toLowerCase().split('\\n').reduce((rest, line) => line.includes(rest[0]) ? rest.slice(1) : rest, ${lower}).length === 0`;
}

/** Writes a text as a template of promptfoo that gives exactly this text: not a tag, a file or a package that it names. */
function literal(text: string): string {
  return text
    .replace(/\{(?=[{%#]|\n$)|#(?=\})/g, '{{ "$&" }}')
    .replace(/^(?:f(?=ile:\/\/)|p(?=ackage:))/, '{{ "$&" }}')
    .replace(/\n$/, '{{ "\\n" }}');
}
