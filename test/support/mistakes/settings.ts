import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { smallSettings, writeFiles } from '../catalog.ts';
import type { Mistake } from './row.ts';

/** Mistakes in the settings and templates of a catalog. */
export const settingsMistakes: Mistake[] = [
  {
    name: 'no settings',
    code: 'settings/missing',
    at: 'catalog.config.json:1:1',
    change: (folder) => rmSync(join(folder, 'catalog.config.json')),
  },
  {
    name: 'settings that are not JSON',
    code: 'settings/json',
    at: 'catalog.config.json:1:2',
    change: (folder) => writeFiles(folder, { 'catalog.config.json': `{,${JSON.stringify(smallSettings).slice(1)}\n` }),
  },
  {
    name: 'the same setting twice',
    code: 'settings/duplicate-key',
    at: 'catalog.config.json:1:20',
    change: (folder) =>
      writeFiles(folder, { 'catalog.config.json': `{"title": "Twice", ${JSON.stringify(smallSettings).slice(1)}\n` }),
  },
  {
    name: 'a missing setting',
    code: 'settings/missing-key',
    at: 'catalog.config.json:1:1',
    settings: { feedId: undefined },
  },
  {
    name: 'a misspelled setting',
    code: 'settings/unknown-key',
    at: 'catalog.config.json:35:3',
    settings: { timezon: 'UTC' },
  },
  {
    name: 'a time zone that does not exist',
    code: 'settings/value',
    at: 'catalog.config.json:6:15',
    settings: { timezone: 'Europe/Atlantis' },
  },
  {
    name: 'a base URL that is none',
    code: 'settings/value',
    at: 'catalog.config.json:12:14',
    settings: { baseUrl: 'press.example' },
  },
  {
    name: 'a base URL with a user name',
    code: 'settings/value',
    at: 'catalog.config.json:12:14',
    settings: { baseUrl: 'https://press.example@evil.example' },
  },
  {
    name: 'a repository without a name',
    code: 'settings/value',
    at: 'catalog.config.json:35:17',
    settings: { repository: 'https://github.com/ada' },
  },
  {
    name: 'a repository that is a script',
    code: 'settings/value',
    at: 'catalog.config.json:35:17',
    settings: { repository: 'javascript://github.com/ada/prompts' },
  },
  {
    name: 'a category key with a space',
    code: 'settings/value',
    at: 'catalog.config.json:14:5',
    settings: { categories: { 'my things': { label: 'x', description: 'y' } } },
  },
  {
    name: 'a template that replaces none',
    code: 'template/unknown',
    at: 'templates/hom.hbs:1:1',
    change: (folder) => writeFiles(folder, { 'templates/hom.hbs': 'x\n' }),
  },
  {
    name: 'a broken template',
    code: 'template/syntax',
    at: 'templates/404.hbs:2:1',
    change: (folder) => writeFiles(folder, { 'templates/404.hbs': '<h1>Lost</h1>\n{{#if agents}}\n<p>x</p>\n' }),
  },
  {
    name: 'a template that names what does not exist',
    code: 'template/syntax',
    at: 'templates/404.hbs:1:7',
    change: (folder) => writeFiles(folder, { 'templates/404.hbs': '<h1>{{settings.titel}}</h1>\n' }),
  },
  {
    name: 'an asset that is another one in capital letters',
    code: 'template/unknown',
    at: 'templates/assets/Style.css:1:1',
    change: (folder) => writeFiles(folder, { 'templates/assets/Style.css': 'body {}\n' }),
  },
  {
    name: 'a template in Latin-1',
    code: 'file/encoding',
    at: 'templates/404.hbs:2:4',
    change: (folder) => writeFiles(folder, { 'templates/404.hbs': Buffer.from('<p>\nCafé\n</p>\n', 'latin1') }),
  },
  {
    name: 'a social image that is not an SVG',
    code: 'template/picture',
    at: 'templates/social-image.hbs:1:1',
    change: (folder) => writeFiles(folder, { 'templates/social-image.hbs': '<svg><text></svg>\n' }),
  },
  {
    name: 'a file that is not a font',
    code: 'template/font',
    at: 'templates/fonts/Own.TTF:1:1',
    change: (folder) => writeFiles(folder, { 'templates/fonts/Own.TTF': 'no font\n' }),
  },
];
