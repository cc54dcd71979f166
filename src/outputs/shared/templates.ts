import Handlebars from 'handlebars';
import { LRUCache } from 'lru-cache';
import { type Diagnostic, diagnose } from '../../diagnostics/diagnostic.ts';
import { locationAt } from '../../diagnostics/source-location.ts';
import { ContentError } from '../../errors.ts';

/** The text of a template and where it comes from, for messages. */
export interface TemplateSource {
  /** Below templates/, such as `agent.hbs` or `partials/agent-line.hbs`. */
  name: string;
  /** Path for messages. */
  file: string;
  text: string;
}

/** The pages' templates, compiled. */
export interface Templates {
  /** Renders a template of the given name, without its ending. Throws ContentError when it uses a value that is not there. */
  render(name: string, data: object): string;
}

/** Has no helpers or partials of its own: each site passes its own to the templates, which sites can then share. */
const engine = Handlebars.create();

/** Compiled templates by their text, since a process that builds again, such as the server, mostly has the same ones. */
const compiledBefore = new LRUCache<string, Handlebars.TemplateDelegate>({ max: 200 });

/**
 * Compiles Handlebars templates. Those below `partials/` can be used in others by their name.
 *
 * Throws ContentError with every template that is not well-formed. Templates are strict: a value that does not exist
 * is an error and not an empty text. A name without arguments is always a value, so no helper can hide one.
 */
export function compileTemplates(sources: readonly TemplateSource[], helpers: Handlebars.HelperDeclareSpec): Templates {
  const names = new Set(Object.keys({ ...engine.helpers, ...helpers }));
  const pages = new Map<string, Handlebars.TemplateDelegate>();
  const partials: Record<string, Handlebars.TemplateDelegate> = {};
  const faults: Diagnostic[] = [];
  for (const source of sources) {
    let template: Handlebars.TemplateDelegate;
    try {
      template = compile(source.text, names);
    } catch (error) {
      faults.push(explainTemplate(source, error));
      continue;
    }
    const named: Handlebars.TemplateDelegate = (data, options) => {
      try {
        return template(data, options);
      } catch (error) {
        throw error instanceof ContentError ? error : new ContentError([explainTemplate(source, error)]);
      }
    };
    const name = source.name.replace(/\.hbs$/, '');
    if (name.startsWith('partials/')) partials[name.slice('partials/'.length)] = named;
    else pages.set(name, named);
  }
  if (faults.length > 0) throw new ContentError(faults);

  const options = { helpers: helpers as Record<string, Handlebars.HelperDelegate>, partials };
  return {
    render(name, data) {
      const template = pages.get(name);
      if (template === undefined) throw new Error(`There is no template ${name}.hbs.`);
      return template(data, options);
    },
  };
}

/** Throws where the text is not well-formed. */
function compile(text: string, helpers: ReadonlySet<string>): Handlebars.TemplateDelegate {
  const key = `${[...helpers].join()}\0${text}`;
  const known = compiledBefore.get(key);
  if (known !== undefined) return known;
  // What `compile` returns finds a fault only when it is called.
  Handlebars.precompile(text, { strict: true });
  const template = engine.compile(fieldsFirst(text, helpers), { strict: true, preventIndent: true });
  compiledBefore.set(key, template);
  return template;
}

/**
 * Parses a template so that no helper hides a field: `{{path}}` becomes `{{this.path}}` where a helper is called `path`.
 *
 * Handlebars would otherwise call the helper with nothing and print an empty text, which strict mode does not notice.
 * Every helper takes an argument, so a name without one is never meant as a helper.
 */
function fieldsFirst(text: string, helpers: ReadonlySet<string>): hbs.AST.Program {
  const program = Handlebars.parse(text);
  const visitor = new Handlebars.Visitor();
  visitor.MustacheStatement = ({ path, params, hash }) => {
    if (path.type !== 'PathExpression' || params.length > 0 || hash !== undefined) return;
    const field = path as hbs.AST.PathExpression;
    if (helpers.has(field.original)) field.original = `this.${field.original}`;
  };
  visitor.accept(program);
  return program;
}

function explainTemplate({ file, text }: TemplateSource, error: unknown): Diagnostic {
  const message = (error as Error).message;
  const refuse = (offset: number, length: number, what: string, hint: string) =>
    diagnose({ code: 'template/syntax', file, text, location: locationAt(text, offset, length), message: what, hint });

  const missing = /^"(.+?)" not defined/.exec(message)?.[1] ?? /Missing helper: "(.+?)"/.exec(message)?.[1];
  const { lineNumber, column = 0 } = error as { lineNumber?: number; column?: number };
  const line = lineNumber ?? Number(/on line (\d+)/.exec(message)?.[1] ?? 1);
  const lineStart =
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0);
  if (missing !== undefined) {
    return refuse(
      lineStart + column,
      missing.length,
      `The template uses \`${missing}\`, which does not exist here.`,
      'Compare it with the template of the same name that comes with the program.',
    );
  }
  const open = unclosedBlock(text);
  if (open !== null) {
    return refuse(
      open.offset,
      open.mark.length,
      `\`${open.mark}\` is opened but never closed.`,
      `Close it with {{/${open.name}}}.`,
    );
  }
  return refuse(
    lineStart + column,
    1,
    'The template is not well-formed Handlebars at or just before this location.',
    'Check that every {{ has its }} and that blocks are closed in the order in which they were opened.',
  );
}

/** The last block of a template that is opened and never closed, or null. */
function unclosedBlock(text: string): { offset: number; mark: string; name: string } | null {
  const open: { offset: number; mark: string; name: string }[] = [];
  for (const match of text.matchAll(/\{\{~?([#/])\s*([\w-]+)[^}]*\}\}/g)) {
    const [mark, kind, name = ''] = match;
    if (kind === '#') open.push({ offset: match.index, mark, name });
    else if (open.at(-1)?.name === name) open.pop();
  }
  return open.at(-1) ?? null;
}
