import type { SmallAgent } from './catalog.ts';
import { evalsFiles } from './evals.ts';
import { goodPrompt } from './good-agent.ts';

/** Agents with texts that layouts rarely have: very long words, wide tables, and writing from right to left. */

const long = 'Betriebshaftpflichtversicherungsvergleich';
const url = 'https://example.com/an-address-without-end?that=has&many=parameters&and_a_name_that_never_ends=1';

const howItWorks = `It compares \`${long}_${long}\`.

## ${long}

| Name | Address | Count | Note |
|:---|:---:|---:|---|
| \`code_of_cell\` | ${url} | 12 | ${long} |

1. A step with code:

   \`\`\`
   one --two
   \`\`\`

   | Item | Meaning |
   |---|---|
   | \`${long}\` | ${url} |

   A text after it.

> ${url}
`;

const columns = Array.from({ length: 20 }, (_, index) => `Column ${index + 1}`);
/** Without headings; with a table of 20 columns and HTML. */
const sampleOutput = `<script>document.title = 'changed'</script><img src="nothing" onerror="document.title = 'changed'">

| ${columns.join(' | ')} |
|${'---|'.repeat(20)}
| ${columns.join(' | ')} |

[link](javascript:document.title='changed')
`;

const recordings = 'evals/recordings/other/recording.json' as const;

export const longWords: SmallAgent = {
  slug: 'long-words',
  date: '2026-01-02',
  front: { title: `${long} für Kleinbetriebe`, excerpt: long.repeat(3), problem: long.repeat(3), issue: '99' },
  files: {
    ...evalsFiles,
    'prompt.txt': `${goodPrompt}${long.repeat(3)}\n`,
    'sample-input.txt': `${'word '.repeat(800)}\n`,
    'sample-output.txt': sampleOutput,
    [recordings]: evalsFiles[recordings].replaceAll('Other, as its page says', long.repeat(2)),
  },
  howItWorks,
};

const problem = 'עדה מנהלת תיקייה עם קבצים רבים ואינה יודעת מה יש בכל קובץ.';

export const hebrew: SmallAgent = {
  slug: 'hebrew',
  date: '2026-01-03',
  front: {
    title: 'בודק שמות של קבצים',
    excerpt: 'בודק את השמות של הקבצים ומציע שמות טובים יותר לכל קובץ.',
    problem,
    steps: '\n  - name: שלב\n    text: העתק את הרשימה.'.repeat(3),
    issue: '112',
  },
  files: { 'prompt.txt': goodPrompt.replace('Read every line of ROWS once', 'קרא כל שורה של ROWS') },
  howItWorks: `${problem}\n\n- ${problem}\n`,
};
