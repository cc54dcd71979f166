import * as z from 'zod';
import { succeeds } from '../lib/errors.ts';
import { onceForEach } from '../lib/lazy.ts';
import {
  emailAddress,
  forms,
  isWebAddress,
  line,
  listOf,
  pathName,
  publicUrl,
  text,
  webUrl,
  wholeNumber,
} from './fields.ts';
import { serverCard } from './mcp.ts';
import { allRules, type RuleSettings } from './rules.ts';

const fixed = z
  .string()
  .refine((severity) => severity === 'error', {
    error: '"error", because builds depend on this rule',
    params: { hint: 'Remove this line, and fix the errors that the rule reports.' },
  })
  .meta({ const: 'error' });

/** The setting `rules`: the severity of each rule that a catalog changes. Rules that builds depend on only accept `error`. */
const ruleSettings = z.strictObject(
  Object.fromEntries(
    allRules.map(({ code, summary, adjustable }) => {
      const setting = adjustable ? z.enum(['error', 'warning', 'off']) : fixed;
      return [code, setting.optional().describe(summary)];
    }),
  ),
);

/**
 * An address that files are served below. It has no query and no fragment. All outputs write it in the same way: with the
 * host in lower case and punycode, and without the default port and a slash at its end.
 */
const baseUrl = webUrl
  .refine((value) => !/[?#]/.test(value), { error: 'an address without ? or #' })
  // A link that starts with two slashes leads to another host.
  .refine((value) => !/^\/\/+[^/]/.test(new URL(value).pathname), { error: 'an address without // after the host' })
  .overwrite((value) => new URL(value).href.replace(/\/+$/, ''));

/** Whether dates can be written with a language tag, in a time zone. */
function hasDates(language: string, timeZone: string): boolean {
  return succeeds(() => new Intl.DateTimeFormat(language, { timeZone }));
}

// Every build reads the settings, and making a format is slow.
const isTimeZone = onceForEach((zone: string) => hasDates('en', zone));
const isLanguage = onceForEach((tag: string) => hasDates(tag, 'UTC'));

const timezone = z.string().refine(isTimeZone, { error: forms.timeZone });

const language = z
  .string()
  .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, { error: forms.language, abort: true })
  .refine(isLanguage, { error: forms.language });

const category = z.strictObject({
  label: line(60)
    .regex(/^[^<>]*$/, { error: 'text without < or >' })
    .describe('The label that readers see'),
  description: text(300).describe('A sentence that says what belongs in the category'),
});

/** A repository on GitHub, or on a server that has the same addresses, without `.git` and a slash at its end. */
const repository = publicUrl
  .refine((value) => /^https:\/\/[^/]+\/[\w.-]+\/[\w.-]+\/?$/.test(value), {
    error: 'the address of a GitHub repository, such as https://github.com/ada/prompts',
  })
  .overwrite((value) => value.replace(/(?:\.git)?\/?$/, ''));

/** The settings in catalog.config.json. */
export const settingsSource = z
  .strictObject({
    $schema: z
      .string()
      .optional()
      .describe('The address of the JSON Schema of this file, which editors use to complete and check it'),
    title: line(100).describe('The name of the publication'),
    // Pages continue it: "…, for the AI assistant that you already use."
    tagline: line(160)
      .overwrite((value) => value.replace(/(?<=[^.])\.$/, ''))
      .describe('The publication in a few words, without a period at the end, shown below its name'),
    description: text(500).describe('The publication in a sentence or two'),
    language: language.default('en').describe('The language of the agents, as a language tag (BCP 47)'),
    timezone: timezone.default('UTC').describe('The time zone in which a day begins at midnight'),
    publisher: z
      .strictObject({
        name: line(100).describe('The name of the publisher, used in attributions'),
        url: webUrl.describe("The publisher's website"),
        email: emailAddress.optional().describe('An email address of the publisher, shown in feeds'),
      })
      .describe('Who publishes the catalog'),
    feedId: z
      .string()
      .regex(/^tag:[A-Za-z0-9.@_-]+,\d{4}(?:-\d{2}){0,2}:[\w.~:/-]*$/, {
        error: 'a tag: URI such as tag:example.com,2026:catalog (RFC 4151)',
      })
      .describe('The start of the id of every feed and feed entry, as a tag: URI; never change it'),
    baseUrl: baseUrl.describe('The address of the site, with or without a path'),
    runtimeUrl: baseUrl
      .nullable()
      .optional()
      .describe('The address of the server for votes, subscriptions and MCP; default: baseUrl; null: no server'),
    mcpName: serverCard.shape.name
      .optional()
      .describe('The name of the MCP server; default: the host of baseUrl in reverse, then /agents'),
    categories: z
      .record(pathName, category)
      .refine((categories) => Object.keys(categories).length > 0, { error: 'an object with at least one category' })
      .describe('A label and a description for each category key'),
    difficulties: listOf(line(40)).describe('The difficulties that an agent can have'),
    runtimes: listOf(line(60)).describe('The assistants and tools that an agent can be made for'),
    repository: repository
      .optional()
      .describe('The GitHub repository of the catalog; pages then link to it, to edit an agent or propose one'),
    securityContact: z
      .url({
        protocol: /^(?:https|mailto|tel)$/,
        error: forms.contact,
        abort: true,
      })
      .refine((value) => !/^https:/i.test(value) || isWebAddress(value), {
        error: 'an address without a user name, spaces or backslashes',
      })
      .optional()
      .describe('An address to report vulnerabilities to, for security.txt (RFC 9116)'),
    postalAddress: text(300)
      .optional()
      .describe('The postal address of the publisher, shown in emails to readers; `catalog announce` requires it'),
    announceHour: wholeNumber(0, 23)
      .default(6)
      .describe('The hour from which `catalog announce --scheduled` sends the email about an agent, in the time zone'),
    feedLength: wholeNumber(1, 1000).default(50).describe('The number of agents in a feed: the newest ones'),
    synonyms: z
      .array(
        z
          .array(z.string().regex(/^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u, 'words of letters and digits'))
          .min(2)
          .max(20),
      )
      .max(200)
      .default([])
      .describe(
        'Groups of words that mean the same to readers who search: an agent with one of them is found by all. Words have letters and digits only',
      ),
    showNext: z
      .enum(['nothing', 'time', 'category', 'title'])
      .default('time')
      .describe(
        'What pages say about the next scheduled agent: its date, also its category or title, or nothing. It is the only trace of a scheduled agent in a build',
      ),
    queueWarningDays: wholeNumber(0, 365)
      .default(3)
      .describe('Warn when agents are scheduled for fewer days than this, counted from tomorrow'),
    rules: ruleSettings
      .default({})
      .describe('The severity of rules by code: `error`, `warning` or `off`; see [rules.md](rules.md)'),
  })
  .meta({ title: 'Settings of a Daily Agent Catalog', description: 'The file catalog.config.json' });

type SettingsSource = z.infer<typeof settingsSource>;

/** The settings after flags and environment variables have overridden those in the file. */
export type Settings = Readonly<Omit<SettingsSource, '$schema' | 'runtimeUrl'> & { runtimeUrl: string | null }>;

/** The names that the front matter of an agent may use. */
export type Vocabulary = Pick<Settings, 'categories' | 'difficulties' | 'runtimes'>;

/** The names that the front matter of an agent may use. Null allows any name. `rules` are those that the settings change. */
export type KnownVocabulary = { [Key in keyof Vocabulary]: Vocabulary[Key] | null } & { rules?: RuleSettings };
