/**
 * What people who do not know the titles type, with the bundled agents that answer it best; an empty list: no agent does.
 *
 * Written before the agents had keywords. Add queries that real readers typed; do not copy them into keywords.
 */
export type SearchQuery = readonly [query: string, best: readonly string[]];

/** The search was tuned with these. */
export const searchQueries: readonly SearchQuery[] = [
  ['what inputs could break my function', ['boundary-case-miner']],
  ['find missing unit tests', ['boundary-case-miner']],
  ['edge cases for a pricing calculation', ['boundary-case-miner']],
  ['off by one errors', ['boundary-case-miner']],
  ['test cases from a specification', ['boundary-case-miner']],
  ['corner cases', ['boundary-case-miner']],

  ['is this news article true', ['claim-ladder']],
  ['fact check a blog post', ['claim-ladder']],
  ['separate facts from opinions', ['claim-ladder']],
  ['misleading statistics in a press report', ['claim-ladder']],
  ['verify sources before I quote them', ['claim-ladder']],
  ['spot misinformation', ['claim-ladder']],

  ['should I merge this renovate pull request', ['dependency-bump-judge']],
  ['dependabot updates', ['dependency-bump-judge']],
  ['upgrade npm packages safely', ['dependency-bump-judge']],
  ['breaking changes in a library update', ['dependency-bump-judge']],
  ['review lockfile changes', ['dependency-bump-judge']],
  ['which package upgrades are risky', ['dependency-bump-judge']],

  ['test passes locally but fails in CI', ['flaky-test-detective']],
  ['intermittent test failures', ['flaky-test-detective']],
  ['why does my build fail randomly', ['flaky-test-detective']],
  ['find a race condition in a test', ['flaky-test-detective']],
  ['unstable tests', ['flaky-test-detective']],

  ['people abandon our registration page', ['form-friction-finder']],
  ['improve checkout form conversion', ['form-friction-finder']],
  ['too many fields in a signup form', ['form-friction-finder']],
  ['usability review of a questionnaire', ['form-friction-finder']],
  ['which questions can I delete from a form', ['form-friction-finder']],

  ['too many meetings', ['meeting-cost-gatekeeper']],
  ['cancel a weekly meeting', ['meeting-cost-gatekeeper']],
  ['how much does our standup cost', ['meeting-cost-gatekeeper']],
  ['was this meeting worth it', ['meeting-cost-gatekeeper']],
  ['get out of useless calls politely', ['meeting-cost-gatekeeper']],

  ['action items from an email conversation', ['promise-tracker']],
  ['who said they would do what by when', ['promise-tracker']],
  ['follow up on things people promised me', ['promise-tracker']],
  ['extract deadlines from emails', ['promise-tracker']],
  ['track commitments', ['promise-tracker']],
  ['todo list from a mail thread', ['promise-tracker']],

  ['write a changelog for customers', ['release-note-translator']],
  ['turn git commits into a product update', ['release-note-translator']],
  ["what's new announcement for users", ['release-note-translator']],
  ['summarize commits for non technical people', ['release-note-translator']],
  ['release notes', ['release-note-translator', 'dependency-bump-judge']],

  ['check our incident procedure', ['runbook-dry-runner']],
  ['SOP walkthrough', ['runbook-dry-runner']],
  ['is our on call documentation good enough', ['runbook-dry-runner']],
  ['find gaps in operating instructions', ['runbook-dry-runner']],
  ['disaster recovery playbook review', ['runbook-dry-runner']],

  ['check an excel file for errors', ['spreadsheet-smell-tester']],
  ['audit a financial model', ['spreadsheet-smell-tester']],
  ['wrong totals in a google sheet', ['spreadsheet-smell-tester']],
  ['hard coded numbers in formulas', ['spreadsheet-smell-tester']],
  ['budget review', ['spreadsheet-smell-tester']],

  ['chocolate cake recipe', []],
  ['how do I bake a birthday cake for my daughter', []],
  ['plan a vacation in Italy', []],
  ['learn to play the guitar', []],
  ['write a love poem', []],
  ['train for a marathon', []],
  ['translate a letter into French', []],
  ['generate a logo', []],
  ['weather tomorrow in Berlin', []],
  ['stock price prediction', []],
  ['houseplant watering schedule', []],
  ['draw a cartoon cat', []],
  ['SQL query optimization', []],
  ['write a cover letter for a job application', []],
  ['negotiate a higher salary', []],
  ['tax return for freelancers', []],
];

/** These were never looked at while the search was tuned and the keywords were written. */
export const heldOutQueries: readonly SearchQuery[] = [
  ['qa scenarios for a function', ['boundary-case-miner']],
  ['what did we forget to test', ['boundary-case-miner']],
  ['limits and thresholds in my code', ['boundary-case-miner']],
  ['how reliable is this report', ['claim-ladder']],
  ['evidence behind a journalist article', ['claim-ladder']],
  ['is it safe to update this dependency', ['dependency-bump-judge']],
  ['semver major version upgrade', ['dependency-bump-judge']],
  ['tests are sometimes red sometimes green', ['flaky-test-detective']],
  ['debug a nondeterministic test', ['flaky-test-detective']],
  ['shorten a survey', ['form-friction-finder']],
  ['users drop off during sign up', ['form-friction-finder']],
  ['reduce time wasted in meetings', ['meeting-cost-gatekeeper']],
  ['do we still need our status meeting', ['meeting-cost-gatekeeper']],
  ['who owes me an answer by email', ['promise-tracker']],
  ['reminder for overdue tasks', ['promise-tracker']],
  ['explain a new version to customers', ['release-note-translator']],
  ['app store update text', ['release-note-translator']],
  ['checklist for a server outage', ['runbook-dry-runner']],
  ['can a new colleague follow our procedure', ['runbook-dry-runner']],
  ['find mistakes in a workbook', ['spreadsheet-smell-tester']],
  ['why is this sum wrong in Excel', ['spreadsheet-smell-tester']],
  ['vegetarian dinner ideas', []],
  ['name for my dog', []],
  ['design a tattoo', []],
  ['explain quantum physics to a child', []],
  ['divorce lawyer advice', []],
  ['build a wooden table', []],
  ['best laptop for students', []],
];
