import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Handlebars from 'handlebars';
import runtime from 'handlebars/runtime.js';
import { LRUCache } from 'lru-cache';
import { orElse } from '../../lib/errors.ts';
import { digestOf, sha256Of } from '../../lib/files.ts';
import { once, onceForEach } from '../../lib/lazy.ts';
import { programFolder } from '../../program.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import { type Diagnostic, diagnose, locationAt, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import { templateMessages } from '../../schema/messages/files.ts';

/** The text of a template and where it comes from, for messages. */
interface TemplateSource {
  /** The path below templates/, such as `agent.hbs` or `partials/agent-line.hbs`. */
  name: string;
  /** The path for messages. */
  file: string;
  text: string;
}

/** Templates and assets as read from disk. Each file of the program can be replaced by one of the catalog. */
export interface TemplateFiles {
  templates: TemplateSource[];
  /** Files that are published unchanged, by their path below dist/, such as `assets/style.css`. */
  assets: Map<string, Uint8Array>;
  /** Whether the catalog has templates of its own among them. */
  custom: boolean;
  /** The fonts of the social images in templates/fonts, ordered by name, such as `besley-basic.ttf`. `path` is on the disk. */
  fonts: { name: string; path: string; bytes: Uint8Array }[];
}

const require = createRequire(import.meta.url);

/** Has no helpers or partials. Each site passes its own when it renders, so that sites can share compiled templates. */
const engine = runtime.create();

/** The compiler, which only templates need that are not compiled yet: loading it takes longer than most commands. */
const compiler = once(() => {
  const { create, Visitor } = require('handlebars') as typeof Handlebars;
  const handlebars = create() as ReturnType<typeof create> & { JavaScriptCompiler: new () => FieldWriter };
  class PlacingCompiler extends handlebars.JavaScriptCompiler {
    readonly compiler = PlacingCompiler;
    // Of `a.b.c`, JavaScript fails at `b` if there is no `a`, and its error has no place in the template.
    nameLookup(parent: unknown, name: string): unknown {
      const failure = `container.strict(null,${JSON.stringify(name)},${JSON.stringify(this.source.currentLocation)})`;
      return this.internalNameLookup(Array.isArray(parent) ? ['(', parent, `)??${failure}`] : parent, name);
    }
  }
  return Object.assign(handlebars, { Visitor, JavaScriptCompiler: PlacingCompiler });
});

/** Handlebars' compiler, to be extended as its documentation says. `parent` is an array of code if it is itself a field. */
interface FieldWriter {
  internalNameLookup(parent: unknown, name: string): unknown;
  source: { currentLocation: unknown };
}

/**
 * The program's own templates by the digest of their key, compiled when the program was bundled: compiling one takes longer
 * than rendering it. A template that is not among them, such as one of a catalog, is compiled when it is used.
 */
const precompiled = once(
  (): Record<string, TemplateSpecification> => orElse(() => require(join(programFolder, 'lib/templates.cjs')), {}),
);

/** Compiled templates by their text: a process that builds again, such as the server, mostly has the same ones. */
const compiledBefore = new LRUCache<string, Handlebars.TemplateDelegate>({ max: 200 });

/**
 * Makes templates from their texts. Other templates can include those below `partials/` by name. Throws ContentError with
 * every template that is not well-formed, unless all of them are `known` to be.
 *
 * A template is compiled when it is first used.
 *
 * Templates are strict: a value that does not exist is an error, not an empty text. A name without arguments is always
 * a value, never a helper.
 */
export function compileTemplates(
  sources: readonly TemplateSource[],
  helpers: Handlebars.HelperDeclareSpec,
  checked = false,
) {
  const names = namesOf(helpers);
  const pages = new Map<string, Handlebars.TemplateDelegate>();
  const partials: Record<string, Handlebars.TemplateDelegate> = {};
  const errors: Diagnostic[] = [];
  for (const source of sources) {
    try {
      if (!checked) check(source.text, names);
    } catch (error) {
      errors.push(explainTemplate(source, error));
      continue;
    }
    const compiled = once(() => compile(source.text, names));
    const named: Handlebars.TemplateDelegate = (data, options) => {
      try {
        return compiled()(data, options);
      } catch (error) {
        throw error instanceof ContentError ? error : new ContentError([explainTemplate(source, error)]);
      }
    };
    const name = source.name.replace(/\.hbs$/, '');
    if (name.startsWith('partials/')) partials[name.slice('partials/'.length)] = named;
    else pages.set(name, named);
  }
  if (errors.length > 0) throw new ContentError(errors);

  const shared = { helpers: withPlaces(helpers as Record<string, Handlebars.HelperDelegate>), partials };
  return {
    /**
     * Renders a template; `name` is without `.hbs`. Throws ContentError if the template uses a value that does not exist.
     */
    render(name: string, data: object): string {
      const template = pages.get(name);
      if (template === undefined) throw new Error(`There is no template ${name}.hbs.`);
      return template(data, shared);
    },
    version: onceForEach((name) =>
      sha256Of(sources.find((source) => source.name === `${name}.hbs`)?.text ?? '').slice(0, 12),
    ),
  };
}

/** Returns the code of lib/templates.cjs for some templates. */
export function precompile(sources: readonly TemplateSource[], helpers: Handlebars.HelperDeclareSpec): string {
  const names = namesOf(helpers);
  const entries = sources.map(({ text }) => {
    const code = compiler().precompile(fieldsFirst(text, names), optionsFor(names)) as string;
    return `${JSON.stringify(digestOf(keyOf(text, names)))}: ${code}`;
  });
  // Otherwise, each use of a value would make new objects that say where it is in its template.
  const places: string[] = [];
  const code = entries
    .join(',\n')
    .replace(/\{"start":\{[^{}]*\},"end":\{[^{}]*\}\}/g, (place) => `at[${places.push(place) - 1}]`);
  return `const at = [${places.join(',\n')}];\nmodule.exports = {\n${code}\n};\n`;
}

/** A helper that is known to exist is called without looking for a field of its name. */
function optionsFor(helpers: ReadonlySet<string>): CompileOptions {
  const knownHelpers = Object.fromEntries([...helpers].map((name) => [name, true]));
  return { strict: true, preventIndent: true, knownHelpers };
}

/** The names that templates can call. */
function namesOf(helpers: Handlebars.HelperDeclareSpec): ReadonlySet<string> {
  return new Set(Object.keys({ ...engine.helpers, ...helpers }));
}

/** Throws if the text is not well-formed. The function that `compile` returns would notice it only when it is called. */
function check(text: string, helpers: ReadonlySet<string>): void {
  const key = keyOf(text, helpers);
  if (!compiledBefore.has(key) && !(digestOf(key) in precompiled())) compiler().precompile(text, { strict: true });
}

function compile(text: string, helpers: ReadonlySet<string>): Handlebars.TemplateDelegate {
  const key = keyOf(text, helpers);
  const cached = compiledBefore.get(key);
  if (cached !== undefined) return cached;
  const ready = precompiled()[digestOf(key)];
  const template =
    ready === undefined ? compiler().compile(fieldsFirst(text, helpers), optionsFor(helpers)) : engine.template(ready);
  compiledBefore.set(key, template);
  return template;
}

function keyOf(text: string, helpers: ReadonlySet<string>): string {
  return `${[...helpers].join()}\0${text}`;
}

/**
 * Parses a template so that no helper hides a field: `{{path}}` becomes `{{this.path}}`.
 *
 * Otherwise, Handlebars would call a helper of that name without arguments and print an empty text, which strict mode does
 * not notice, and would look for a helper each time. Every helper takes an argument, so a name without one is never a
 * helper.
 */
function fieldsFirst(text: string, helpers: ReadonlySet<string>): hbs.AST.Program {
  const { parse, Visitor } = compiler();
  const program = parse(text);
  // Of `{{#each agents as |agent|}}`, the name is no field.
  const hasOwnNames = / as \|/.test(text);
  const visitor = new Visitor();
  visitor.MustacheStatement = ({ path, params }) => {
    if (path.type !== 'PathExpression' || params.length > 0) return;
    const field = path as hbs.AST.PathExpression;
    const isName = !field.data && field.depth === 0 && field.parts.length === 1 && !hasOwnNames;
    if (isName || helpers.has(field.original)) field.original = `this.${field.original}`;
  };
  visitor.accept(program);
  return program;
}

/** Helpers whose errors have the place in the template that calls them, as Handlebars' own errors do. */
function withPlaces(helpers: Record<string, Handlebars.HelperDelegate>): Record<string, Handlebars.HelperDelegate> {
  const withPlace = (name: string, helper: Handlebars.HelperDelegate): Handlebars.HelperDelegate =>
    function (this: unknown, ...values) {
      try {
        return helper.apply(this, values);
      } catch (error) {
        const { loc } = (values as unknown[]).at(-1) as { loc: hbs.AST.SourceLocation };
        throw Object.assign(error as Error, { helper: name, lineNumber: loc.start.line, column: loc.start.column });
      }
    };
  return Object.fromEntries(Object.entries(helpers).map(([name, helper]) => [name, withPlace(name, helper)]));
}

function explainTemplate({ file, text }: TemplateSource, error: unknown): Diagnostic {
  const message = (error as Error).message;
  const refuse = (offset: number, length: number, wording: Wording) =>
    diagnose({ code: 'template/syntax', file, text, location: locationAt(text, offset, length), ...wording });

  const { helper, lineNumber, column = 0 } = error as { helper?: string; lineNumber?: number; column?: number };
  const lineOfParser = /on line (\d+)/.exec(message)?.[1];
  const line = lineNumber ?? Number(lineOfParser ?? 1);
  const lineStarts = [...text.matchAll(/(?<=^|\n)/g)].map(({ index }) => index);
  const lineStart = lineStarts[line - 1] ?? text.length;
  // After an upgrade, a template may still include a partial that the program no longer has.
  const partial = /^The partial (.+) could not be found$/.exec(message)?.[1];
  if (partial !== undefined) {
    const tags = [...text.matchAll(/\{\{[~#]*>\s*["'[]?([^\s"'\]}~]+)/g)];
    const tag = tags.find(([, name]) => name === partial) ?? tags[0];
    const at = tag === undefined ? 0 : tag.index + tag[0].length - (tag[1] ?? '').length;
    return refuse(at, partial.length, templateMessages.unknownValue(`partials/${partial}.hbs`));
  }
  const start = lineStart + column;
  if (/^".+" not defined|Missing helper: /.test(message)) {
    const [path = ''] = /^[^\s(){}~]+/.exec(text.slice(start)) ?? [];
    return refuse(start, path.length, templateMessages.unknownValue(path));
  }
  if (helper !== undefined || (lineNumber ?? lineOfParser) === undefined)
    return refuse(start, 1, templateMessages.notRendered(helper, message));
  const open = unclosedBlock(text);
  if (open !== undefined) return refuse(open.index, open[0].length, templateMessages.blockNotClosed(open[0]));
  return refuse(start, 1, templateMessages.notHandlebars);
}

/** The tag of the last block of a template that is opened but never closed. */
function unclosedBlock(text: string): RegExpExecArray | undefined {
  const open: RegExpExecArray[] = [];
  for (const tag of text.matchAll(/\{\{~?([#/])\s*([\w-]+)[^}]*\}\}/g)) {
    if (tag[1] === '#') open.push(tag);
    else if (open.at(-1)?.[2] === tag[2]) open.pop();
  }
  return open.at(-1);
}
