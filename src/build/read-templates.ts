import { isUtf8 } from 'node:buffer';
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { obstacleIn } from '../lib/errors.ts';
import { compareText } from '../lib/text.ts';
import { programFolder } from '../program.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import { diagnose, locationAt, type Wording } from '../schema/diagnostics/diagnostic.ts';
import { nearest } from '../schema/diagnostics/suggestions.ts';
import { fileMessages, templateMessages } from '../schema/messages/files.ts';
import type { TemplateFiles } from '../site/shared/templates.ts';

/** Matches the font files in templates/fonts. */
const fontName = /^fonts\/([^/]+\.(?:ttf|otf))$/i;

const own = join(programFolder, 'templates');

/** The pages' scripts, bundled when the package is built. */
const scripts = join(programFolder, 'lib/browser');

/** Whether the catalog in `cwd` has custom templates, or something else in their place. */
export function hasTemplates(cwd: string): boolean {
  const theirs = resolve(cwd, 'templates');
  return theirs !== own && (existsSync(theirs) || obstacleIn(theirs) !== null);
}

/**
 * Reads the program's templates and scripts. Files in the templates/ folder of the catalog in `cwd` replace the files of
 * the program.
 *
 * Throws ContentError if a file of the catalog replaces no template or is a link, since it would never be used, or if
 * templates/ is not a folder.
 */
export function readTemplates(cwd: string): TemplateFiles {
  const theirs = resolve(cwd, 'templates');
  const names = listFiles(own);
  const isCustom = hasTemplates(cwd);
  const obstacle = isCustom ? obstacleIn(theirs) : null;
  if (obstacle !== null) {
    const problem = templateMessages.templatesNotAFolder(obstacle);
    throw new ContentError([diagnose({ code: 'template/unknown', file: 'templates', ...problem })]);
  }
  const overrides = isCustom ? listFiles(theirs) : [];

  const isFree = (name: string) => name.startsWith('assets/') || fontName.test(name);
  const strangers = overrides.filter((name) => !names.includes(name) && !isFree(name));
  const folded = (name: string) => name.normalize('NFC').toLowerCase();
  const refuse = (name: string, problem: Wording) =>
    diagnose({ code: 'template/unknown', file: `templates/${name}`, ...problem });
  const links = isCustom ? listFiles(theirs, (entry) => entry.isSymbolicLink()) : [];
  const problems = [
    ...links.map((name) => refuse(name, fileMessages.symbolicLink(`templates/${name}`))),
    ...strangers.map((name) => {
      if (/^fonts\/.*\.woff2?$/i.test(name))
        return refuse(name, templateMessages.notAFont(name.slice('fonts/'.length)));
      return refuse(name, templateMessages.unknownTemplate(name, similar(name, names), names));
    }),
    ...overrides.filter(isFree).flatMap((name) => {
      const twin = [...names, ...overrides].find((other) => other !== name && folded(other) === folded(name));
      return twin === undefined ? [] : [refuse(name, templateMessages.sameAsset(name, twin))];
    }),
  ];
  if (problems.length > 0) throw new ContentError(problems);

  const templates: TemplateFiles['templates'] = [];
  const assets: TemplateFiles['assets'] = new Map();
  const fonts: TemplateFiles['fonts'] = [];
  for (const name of listFiles(scripts)) assets.set(`assets/${name}`, readFileSync(join(scripts, name)));
  for (const name of [...new Set([...names, ...overrides])].sort(compareText)) {
    const path = join(overrides.includes(name) ? theirs : own, name);
    const bytes = readFileSync(path);
    if (name.startsWith('assets/')) assets.set(name, bytes);
    else if (fontName.test(name)) fonts.push({ name: name.slice('fonts/'.length), path, bytes });
    else if (name.endsWith('.hbs')) templates.push({ name, file: `templates/${name}`, text: textOf(name, bytes) });
  }
  return { templates, assets, fonts, custom: overrides.length > 0 };
}

/** The text of a template, without a byte-order mark. Throws ContentError if it is not UTF-8: readers would see � in it. */
function textOf(name: string, bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes)) return text;
  const where = { file: `templates/${name}`, text, location: locationAt(text, text.indexOf('\uFFFD')) };
  throw new ContentError([diagnose({ code: 'file/encoding', ...where, ...fileMessages.notUtf8(name, false) })]);
}

function listFiles(root: string, isListed = (entry: Dirent) => entry.isFile()): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => isListed(entry) && !entry.name.startsWith('.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort(compareText);
}

/** The one of `names` whose last part is most likely meant, or undefined. */
function similar(path: string, names: readonly string[]): string | undefined {
  const bases = names.map((name) => basename(name));
  const meant = nearest(basename(path), bases);
  return names.find((name) => basename(name) === meant);
}
