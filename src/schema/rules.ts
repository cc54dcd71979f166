import { configExtensions } from './slugs.ts';

/**
 * Every rule that a catalog has to follow, by its permanent code: what it requires, as a statement.
 *
 * Rules in `editorial/` judge the writing, and only `catalog validate` reports them. All others are about structure: a
 * build fails if an agent that it would publish breaks one. The settings can change the rules that are `adjustable`.
 */
const rules = {
  'agents/unreadable': 'The folder agents/ is readable.',
  'agent/unprocessable': 'The program can read the agent and render all its outputs.',
  'folder/not-a-folder': 'agents/ contains only the folders of agents.',
  'folder/name': 'The folder is named after the slug: lowercase words joined by hyphens, at most 64 characters.',
  'folder/reserved-name': 'The slug is not `catalog`, `index` or a name that Windows reserves for devices.',
  'folder/unreadable': 'Every file and folder of an agent is readable.',
  'folder/symlink': 'No file or folder of an agent is a symbolic link.',
  'folder/missing-file': 'The folder contains agent.md, prompt.txt, sample-input.txt and sample-output.txt.',
  'folder/unknown-file': 'Besides those four files, the folder contains at most one config.<ext>, and evals/.',
  'folder/two-configs': 'There is at most one config file.',
  'file/too-large': 'A file is at most 256 KiB.',
  'file/empty': 'A file is not empty.',
  'file/encoding': 'A file is UTF-8 text.',
  'file/line-ends': 'Lines end with LF, without CR.',
  'file/final-newline': 'The prompt ends with exactly one newline.',
  'text/hidden-character':
    'No text contains invisible characters, or characters that change the order of the text on the screen.',
  'text/secret': 'No text contains anything that looks like a key, a token or a password.',
  'text/conflict': 'No text contains merge conflict markers, except in a code fence.',
  'text/placeholder': 'No placeholder of `catalog new` is left in an agent that is not a draft.',
  'front-matter/missing': 'agent.md starts with front matter between two `---` lines.',
  'front-matter/language': 'The front matter is YAML: nothing follows the opening `---`.',
  'front-matter/yaml': 'The front matter is well-formed YAML.',
  'front-matter/duplicate-key': 'A key appears only once.',
  'front-matter/anchor': 'The front matter has no anchors (`&`) and no aliases (`*`).',
  'front-matter/missing-key': 'Every required key is present.',
  'front-matter/unknown-key': 'Every key is known.',
  'front-matter/value': 'Every value has the right type and is within its limits.',
  'source/license': 'An imported agent is a draft, unless its `source.license` allows publication under CC BY 4.0.',
  'markdown/link': 'Links point to http, https or mailto addresses, or to paths in the catalog.',
  'markdown/image': 'The Markdown has no images.',
  'markdown/html': 'The Markdown has no HTML with attributes.',
  'markdown/size':
    'The Markdown has at most 65,536 characters, 100 headings, and 20 levels of nested lists and quotes.',
  'prompt/sections': 'The prompt has the sections INPUT, RULES and OUTPUT, each once, in this order.',
  'config/extension': `A config is in a text format that no browser or shell executes: ${configExtensions.join(', ')}.`,
  'config/json':
    'config.json is well-formed JSON, at most 50 levels deep, without numbers that lose precision when parsed.',
  'config/filename': '`configFilename` is set only if there is a config.',
  'evals/checks':
    'evals/checks.yaml is well-formed and has only known checks. Its regular expressions take at most half a second.',
  'evals/input': 'The input of each case is in evals/.',
  'evals/counterexample': 'Each wrong answer in evals/counterexamples/ is named by one check in evals/checks.yaml.',
  'evals/recording': 'Each recorded answer belongs to a case, and recording.json says how it was made.',
  'issue/taken': 'No two agents have the same issue number.',
  'issue/order': 'Issue numbers rise with the dates.',
  'issue/early': 'An agent gets its issue number on its date, never earlier.',
  'issue/skipped': 'A new issue number is one above the highest.',
  'issue/draft': 'A numbered agent is not a draft.',
  'date/taken': 'No two agents have the same date.',
  'date/backdated': 'An agent without a number is dated after the last numbered one.',
  'withdrawn/unnumbered': 'Only a numbered agent can be withdrawn.',
  'record/deleted': 'A published agent stays in agents/, even when it is withdrawn.',
  'record/renamed':
    'If the folder of a published agent was renamed, its old name is in `formerSlugs`, and stays there.',
  'record/issue': 'A published agent keeps its issue number.',
  'record/date': 'A published agent keeps its date.',
  'title/taken': 'No two agents have the same title; case and extra spaces do not make a difference.',
  'slug/taken': 'A former slug belongs to one agent only, and no folder has that name.',
  'settings/missing': 'catalog.config.json exists and is readable.',
  'settings/json': 'catalog.config.json is well-formed JSON.',
  'settings/duplicate-key': 'A key appears only once.',
  'settings/missing-key': 'Every setting without a default is present.',
  'settings/unknown-key': 'Every key is known.',
  'settings/value': 'Every setting has the right type and is within its limits.',
  'template/unknown': 'Every file in the catalog’s templates/ replaces one of the program’s, and none is a link.',
  'template/syntax': 'A template is well-formed Handlebars and uses only values that exist.',
  'template/picture': 'The social image template renders a well-formed SVG.',
  'template/font': 'Every file in templates/fonts is a TrueType or OpenType font.',
  'editorial/one-job': 'The problem is 40 to 400 characters long and repeats neither the title nor the excerpt.',
  'editorial/excerpt':
    'The excerpt is one sentence of 60 to 160 characters that starts with a verb and ends with a period.',
  'editorial/sections': 'No section of the prompt is empty.',
  'editorial/input-contract':
    'INPUT lists what to paste and says what to do when something is missing. Every input it declares is used later.',
  'editorial/inputs':
    'A line of INPUT that declares an input has the form `- NAME (required): hint` or `- NAME (optional): hint`. No name appears twice. `inputs` in the front matter has hints only for these names.',
  'editorial/rules-count':
    'RULES has 5 to 12 rules. Each is one line and an instruction; a prohibition says what to do instead, or why.',
  'editorial/measurable': 'At least three rules can be checked, and the prompt has no empty praise.',
  'editorial/ground': 'A rule says to write `unknown` for anything that INPUT does not contain.',
  'editorial/untrusted':
    'A prompt that takes text from others calls it data, and says not to follow instructions in it.',
  'editorial/output-shape': 'OUTPUT shows a literal skeleton and sets a length limit.',
  'editorial/empty-case': 'OUTPUT says what to answer when there is nothing to report.',
  'editorial/stop': 'The assistant asks before it acts, and a person decides in matters of law, health and money.',
  'editorial/sample':
    'The sample input has 8 to 60 lines and no real email address. The sample output follows the skeleton of OUTPUT.',
  'editorial/checks': 'The sample output passes the checks of the case `sample`.',
  'editorial/toothless':
    'Each wrong answer in evals/counterexamples/ fails the check that names it, and is no copy of another answer.',
  'editorial/unproven': 'If an agent has counterexamples, each of its checks fails at least one of them.',
  'editorial/why': 'If an agent has counterexamples, each of its checks says in `why` what it is for.',
  'editorial/same-input': 'No two cases of an agent have the same input.',
  'editorial/stale': 'Recorded answers were made with the current prompt and input.',
  'editorial/demo':
    'The demo has 4 to 8 points with short labels, in order, between seconds 0 and 90. There are 3 to 7 steps.',
  'editorial/portable':
    'The prompt is 120 to 900 words of plain text that names no single vendor. There are 2 to 6 tags.',
  'editorial/placeholder': 'Only drafts contain placeholders, such as `TODO:` or `[insert a name]`.',
  'editorial/near-duplicate': 'At least half of the prompt is not in the prompt of an earlier agent.',
  'editorial/similar-tag': 'No tag is nearly the same as one that more agents have.',
  'editorial/regression':
    'A new recorded answer passes every check that the answer of the same model on the default branch passes.',
} as const satisfies Record<string, string>;

export type RuleCode = keyof typeof rules;

/** The rules that are advice: a catalog without them is published, and works. All others are errors. */
const warnings: readonly RuleCode[] = [
  'editorial/inputs',
  'editorial/rules-count',
  'editorial/measurable',
  'editorial/untrusted',
  'editorial/empty-case',
  'editorial/stop',
  'editorial/unproven',
  'editorial/stale',
  'editorial/portable',
  'editorial/placeholder',
  'editorial/near-duplicate',
  'editorial/similar-tag',
];

export function ruleSeverity(code: RuleCode): 'error' | 'warning' {
  return warnings.includes(code) ? 'warning' : 'error';
}

/** Structural rules that nothing else depends on. */
const adjustable: readonly RuleCode[] = [
  'file/line-ends',
  'text/placeholder',
  'config/filename',
  'title/taken',
  'source/license',
];

/** Whether the settings can change the severity of a rule, or switch it off. Outputs, numbers or safety depend on the others. */
function isAdjustable(code: RuleCode): boolean {
  return code.startsWith('editorial/') || adjustable.includes(code);
}

/** All codes in the order of this file, each with what it requires, its severity, and whether the settings can change that. */
export const allRules = (Object.keys(rules) as RuleCode[]).map((code) => ({
  code,
  severity: ruleSeverity(code),
  summary: rules[code],
  adjustable: isAdjustable(code),
}));

/** The severity of the rules that a catalog changes, by code. */
export type RuleSettings = Readonly<Partial<Record<string, string>>>;

/** Applies the setting `rules`: leaves out what it switches off, and changes the severity of the rest. */
export function withRules<Reported extends { code: RuleCode; severity: 'error' | 'warning' }>(
  diagnostics: readonly Reported[],
  rules: RuleSettings = {},
): Reported[] {
  return diagnostics.flatMap((diagnostic) => {
    const severity = rules[diagnostic.code] ?? diagnostic.severity;
    return severity === 'off' ? [] : [{ ...diagnostic, severity: severity as Reported['severity'] }];
  });
}
