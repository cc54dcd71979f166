import {
  type Case,
  type Check,
  type CheckKind,
  type CheckValues,
  kindOf,
  regexCode,
  roundsOf,
} from '../../schema/evals.ts';

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
  'headings',
  'table-columns',
  'quotes-in-input',
  'numbers-in-input',
  'computed-number',
  'table-cell',
];

/** The messages that promptfoo sends, by the label of the prompt. `_conversation` has the earlier messages and answers, as they are. */
const templates = {
  'prompt and input': '{{message}}',
  conversation:
    '[{% for turn in _conversation %}{"role":"user","content":{{ turn.input | dump }}},' +
    '{"role":"assistant","content":{{ turn.output | dump }}},{% endfor %}{"role":"user","content":{{ message | dump }}}]',
  counterexample: '{{answer}}',
};

/**
 * Returns the cases of agents as a configuration of promptfoo (https://promptfoo.dev/config-schema.json). `left` are
 * the checks that it does not have.
 */
export function promptfooConfig(
  agents: readonly AgentCases[],
  providers: readonly string[],
): { config: object; left: CheckKind[] } {
  const tests = agents.flatMap((agent) =>
    agent.cases.flatMap((one) => [...testsOf(agent, one), ...challengesOf(agent, one)]),
  );
  // With a prompt for conversations, promptfoo runs one test at a time.
  const labels = [...new Set(['prompt and input' as const, ...tests.flatMap(({ prompts }) => prompts ?? [])])];
  const config = {
    description: 'Cases of catalog eval',
    prompts: labels.map((label) => ({ raw: templates[label], label })),
    defaultTest: {
      // White space around an answer does not count.
      options: { transform: "typeof output === 'string' ? output.trim() : output" },
      ...(labels.length > 1 && { prompts: labels.slice(0, 1) }),
    },
    ...(providers.length > 0 && { providers }),
    tests,
  };
  const rounds = agents.flatMap(({ cases }) => cases.flatMap(roundsOf));
  const kinds = rounds.flatMap(({ checks }) => checks.map(kindOf));
  return { config, left: kinds.filter((kind) => ownKinds.includes(kind)) };
}

type Test = object & { prompts?: (keyof typeof templates)[] };
type Assertion = { type: string; value?: unknown };

/** Returns a test for each message of a case. promptfoo runs the tests of a conversation in order. */
function testsOf({ slug, prompt }: AgentCases, { name, input, checks, turns }: Case): Test[] {
  return [{ says: messageOf(prompt, input), checks }, ...turns].map((turn, index) => ({
    description: `${slug}: ${name}${index === 0 ? '' : `, turn ${index + 1}`}`,
    ...(turns.length > 0 && { prompts: ['conversation'] }),
    vars: { message: literal(turn.says) },
    assert: turn.checks.flatMap(assertionOf),
    metadata: { agent: slug, case: name, ...(turns.length > 0 && { conversationId: `${slug}/${name}` }) },
  }));
}

/** Returns a test for each counterexample: `echo` answers it instead of the model, and its check has to fail. */
function challengesOf({ slug }: AgentCases, evalCase: Case): Test[] {
  return roundsOf(evalCase).flatMap(({ checks, counterexamples }) =>
    counterexamples.flatMap(({ name, wrong, check, answer }) => {
      const assert = assertionOf(checks[check] as Check).map(({ type, ...rest }) => ({
        type: type.startsWith('not-') ? type.slice('not-'.length) : `not-${type}`,
        ...rest,
      }));
      if (assert.length === 0) return [];
      return {
        // In descriptions, promptfoo fills in only `{{ env.NAME }}`.
        description: `counterexample of ${slug}, ${name}: ${wrong.replaceAll('{{', '{ {')}`,
        prompts: ['counterexample'],
        provider: 'echo',
        vars: { answer: literal(answer) },
        assert,
        metadata: { agent: slug, case: evalCase.name, counterexample: name },
      };
    }),
  );
}

function assertionOf(check: Check): Assertion[] {
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
  const { regex, 'not-regex': forbidden, 'last-line': last, 'lines-in-order': order, says } = check;
  if (regex !== undefined) return `${regexCode(regex)}.test(output)`;
  if (forbidden !== undefined) return `!${regexCode(forbidden)}.test(output)`;
  if (last !== undefined) return `${JSON.stringify(last)}.some((text) => output.split('\\n').at(-1).startsWith(text))`;
  const { 'line-count': all, 'matching-lines': some } = check;
  if (all !== undefined) return countCode(all, "line.trim() !== ''");
  if (some !== undefined) return countCode(some, `${regexCode(some.regex)}.test(line)`);
  if (says !== undefined) {
    const { about, accept, never = [] } = says;
    const lines = `output.toLowerCase().split('\\n').filter((line) => ${lowerCode(about)}.some((text) => line.includes(text)))`;
    const isAccepted = `lines.some((line) => ${lowerCode(accept)}.some((text) => line.includes(text)))`;
    return `((lines) => ${isAccepted} && !${lowerCode(never)}.some((text) => lines.join('\\n').includes(text)))(${lines})`;
  }
  if (order === undefined) return null;
  return `output.toLowerCase().split('\\n').reduce((rest, line) => line.includes(rest[0]) ? rest.slice(1) : rest, ${lowerCode(order)}).length === 0`;
}

function countCode({ min = 0, max = Number.MAX_SAFE_INTEGER }: CheckValues['line-count'], condition: string): string {
  const count = `output.split('\\n').filter((line) => ${condition}).length`;
  return `((count) => count >= ${min} && count <= ${max})(${count})`;
}

function lowerCode(texts: readonly string[]): string {
  return JSON.stringify(texts.map((text) => text.toLowerCase()));
}

/** Writes a text as a template of promptfoo that gives exactly this text: not a tag, a file or a package that it names. */
function literal(text: string): string {
  return text
    .replace(/\{(?=[{%#]|\n$)|#(?=\})/g, '{{ "$&" }}')
    .replace(/^(?:f(?=ile:\/\/)|p(?=ackage:))/, '{{ "$&" }}')
    .replace(/\n$/, '{{ "\\n" }}');
}
