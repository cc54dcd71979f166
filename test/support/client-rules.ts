import yaml from 'js-yaml';

/** What assistants accept, as rules that were written from their documentation, not from the code of this project. */

type Rule = [rule: string, holds: boolean];

function broken(rules: readonly Rule[]): string[] {
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of skills in the Agent Skills specification. */
const skillName = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/**
 * Returns the rules that a SKILL.md in a folder breaks: rules of the Agent Skills specification
 * (agentskills.io/specification), and rules of clients that refuse or run more than it says.
 */
export function skillFaults(folder: string, text: string): string[] {
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const front = yaml.load(head, { schema: yaml.CORE_SCHEMA });
  if (!isRecord(front)) return ['it starts with front matter, which is a YAML mapping'];
  const { name, description, license, metadata } = front;
  const allowed = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
  const isText = (value: unknown, max: number): value is string =>
    typeof value === 'string' && value.trim() !== '' && value.length <= max;
  return broken([
    ['no other fields', Object.keys(front).every((key) => allowed.includes(key))],
    ['name: 1 to 64 lowercase letters, digits and single hyphens', typeof name === 'string' && skillName.test(name)],
    ['name: the same as the folder', name === folder],
    ['description: 1 to 1024 characters', isText(description, 1024)],
    ['description: one line, without angle brackets', !/[<>\r\n\u0085\u2028\u2029]/.test(String(description))],
    ['license: text', isText(license, 100)],
    ['metadata: text to text', isRecord(metadata) && Object.values(metadata).every((value) => isText(value, 1000))],
    ['body: instructions', body.trim() !== ''],
    ['body: no shell command that a client runs when it loads the skill', !/!`|```!/.test(body)],
  ]);
}
