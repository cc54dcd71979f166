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
  const value = check[kind];
  if (value === true) return [{ type: kind }];
  if (Array.isArray(value)) return [{ type: kind, value: value.map((text) => literal(String(text))) }];
  if (typeof value !== 'string') return [{ type: kind, value }];
  if (kind.endsWith('equals')) return [{ type: kind, value: literal(value.trim()) }];
  if (!kind.endsWith('regex')) return [{ type: kind, value: literal(value) }];
  // The regular expressions of promptfoo have no flags.
  const code = `${kind === 'regex' ? '' : '!'}${regexCode(value)}.test(output)`;
  return [{ type: 'javascript', value: literal(code) }];
}

/** Writes a text as a template of promptfoo that gives exactly this text: not a tag, a file or a package that it names. */
function literal(text: string): string {
  return text
    .replace(/\{(?=[{%#]|\n$)|#(?=\})/g, '{{ "$&" }}')
    .replace(/^(?:f(?=ile:\/\/)|p(?=ackage:))/, '{{ "$&" }}')
    .replace(/\n$/, '{{ "\\n" }}');
}
