import { configExtensions } from '../schema/config-files.ts';

/**
 * Every rule that a catalog is held to, by its permanent code.
 *
 * Rules of `editorial/` judge the writing: `catalog validate` alone reports them. All others are structure: an error
 * among them stops a build of what it concerns.
 */
const rules = {
  'agents/unreadable': error('The folder agents/ can be read.'),
  'agent/unprocessable': error('The program can read the agent and render every output of it.'),
  'folder/not-a-folder': error('Everything in agents/ is the folder of an agent.'),
  'folder/name': error(
    'The name of the folder is the slug: lower-case words joined by hyphens, at most 64 characters.',
  ),
  'folder/reserved-name': error('The slug is not `catalog` or `index`, and no name that Windows keeps for devices.'),
  'folder/unreadable': error('Every file and folder of an agent can be read.'),
  'folder/symlink': error('Nothing of an agent is a symbolic link.'),
  'folder/missing-file': error('agent.md, prompt.txt, sample-input.txt and sample-output.txt are there.'),
  'folder/unknown-file': error('Besides these there is at most one config.<ext>, and nothing else.'),
  'folder/two-configs': error('There is at most one config file.'),
  'file/too-large': error('A file has at most 256 KiB.'),
  'file/empty': error('A file is not empty.'),
  'file/encoding': error('A file is text in UTF-8.'),
  'file/line-ends': error('Lines end with LF alone, never with CR.'),
  'file/final-newline': error('The prompt ends with exactly one newline.'),
  'text/hidden-character': error(
    'No text holds characters that a reader cannot see, or that change the order of what they see.',
  ),
  'text/secret': error('No text holds what looks like a key, a token or a password.'),
  'text/conflict': error('No text holds the markers of a merge conflict, but in a code fence.'),
  'text/placeholder': error('No text of `catalog new` is left in an agent that is not a draft.'),
  'front-matter/missing': error('agent.md starts with front matter between two lines `---`.'),
  'front-matter/language': error('The front matter is YAML: nothing follows the opening `---`.'),
  'front-matter/yaml': error('The front matter is well-formed YAML.'),
  'front-matter/duplicate-key': error('A key stands once.'),
  'front-matter/anchor': error('The front matter has no anchors (`&`) and no aliases (`*`).'),
  'front-matter/missing-key': error('Every key that an agent needs is there.'),
  'front-matter/unknown-key': error('Every key is a known one.'),
  'front-matter/value': error('Every value is of its kind and within its limits.'),
  'markdown/link': error('Links lead to http, https or mail addresses, or to paths in the catalog.'),
  'markdown/image': error('The Markdown has no images.'),
  'markdown/html': error('The Markdown has no HTML with attributes.'),
  'markdown/size': error(
    'The Markdown has at most 65,536 characters and 100 headings, and lists and quotes of at most 20 levels.',
  ),
  'prompt/sections': error('The prompt has the sections INPUT, RULES and OUTPUT, each once, in this order.'),
  'config/extension': error(
    `A config is in a text format that no browser or shell runs: ${configExtensions.join(', ')}.`,
  ),
  'config/json': error(
    'A config.json is well-formed JSON, nested at most 50 levels deep, without numbers that programs round.',
  ),
  'config/filename': error('`configFilename` is given only where there is a config.'),
  'issue/taken': error('No two agents have the same number.'),
  'issue/order': error('Numbers rise with the dates.'),
  'issue/early': error('An agent gets its number on its day, never before it.'),
  'issue/skipped': error('A number is the next one after the highest.'),
  'issue/draft': error('A numbered agent is not a draft.'),
  'date/taken': error('No two agents have the same date.'),
  'date/backdated': error('An agent without a number is dated after the last numbered one.'),
  'withdrawn/unnumbered': error('Only a numbered agent can be withdrawn.'),
  'record/deleted': error('A published agent stays in agents/, withdrawn or not.'),
  'record/renamed': error('A published agent whose folder is renamed has its old name in `formerSlugs`.'),
  'record/issue': error('A published agent keeps its number.'),
  'record/date': error('A published agent keeps its date.'),
  'title/taken': error('No two agents have the same title, whatever its case and spaces.'),
  'slug/taken': error('A former slug belongs to one agent only, and no folder has it.'),
  'settings/missing': error('catalog.config.json is there and can be read.'),
  'settings/json': error('catalog.config.json is well-formed JSON.'),
  'settings/duplicate-key': error('A key stands once.'),
  'settings/missing-key': error('Every setting that has no default is there.'),
  'settings/unknown-key': error('Every key is a known one.'),
  'settings/value': error('Every setting is of its kind and within its limits.'),
  'template/unknown': error('A template of the catalog replaces one that there is.'),
  'template/syntax': error('A template is well-formed Handlebars and uses values that there are.'),
  'template/picture': error('The template of the social images renders a well-formed SVG.'),
  'template/font': error('What lies in templates/fonts is a TrueType or OpenType font.'),
  'editorial/one-job': error('The problem has 40 to 400 characters and repeats neither the title nor the excerpt.'),
  'editorial/excerpt': error(
    'The excerpt is one sentence of 60 to 160 characters that starts with a verb and ends with a full stop.',
  ),
  'editorial/sections': error('No section of the prompt is empty.'),
  'editorial/input-contract': error(
    'INPUT lists what to paste and says what to do when something is missing; what it declares is used later.',
  ),
  'editorial/rules-count': warning(
    'There are 5 to 12 rules, each one line and an order; a prohibition says what to do instead, or why.',
  ),
  'editorial/measurable': warning(
    'Three rules at least can be checked, and no words of empty praise stand in the prompt.',
  ),
  'editorial/ground': error('A rule says that what INPUT does not hold is written as `unknown`.'),
  'editorial/untrusted': warning('What others wrote is called data: instructions in it are not followed.'),
  'editorial/output-shape': error('OUTPUT shows a literal skeleton and has a limit of length.'),
  'editorial/empty-case': warning('OUTPUT says what to answer when there is nothing to report.'),
  'editorial/stop': warning('The assistant asks before it acts, and a person decides about law, health and money.'),
  'editorial/sample': error(
    'The sample input has 8 to 60 lines and no real mail address; the sample output has the skeleton of OUTPUT.',
  ),
  'editorial/demo': error(
    'The demo has 4 to 8 points with short labels, from second 0 to 90 and rising; there are 3 to 7 steps.',
  ),
  'editorial/portable': warning(
    'The prompt has 120 to 900 words of plain text without names of one vendor; there are 2 to 6 tags.',
  ),
} as const satisfies Record<string, Rule>;

interface Rule {
  severity: 'error' | 'warning';
  /** What holds where the rule is kept. */
  summary: string;
}

export type RuleCode = keyof typeof rules;

/** All codes in the order of this file, with what each demands. */
export const allRules: readonly (Rule & { code: RuleCode })[] = Object.entries(rules).map(([code, rule]) => ({
  code: code as RuleCode,
  ...rule,
}));

export function ruleSeverity(code: RuleCode): 'error' | 'warning' {
  return rules[code].severity;
}

function error(summary: string): Rule {
  return { severity: 'error', summary };
}

function warning(summary: string): Rule {
  return { severity: 'warning', summary };
}
