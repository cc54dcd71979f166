import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasHugo = spawnSync('hugo', ['version']).status === 0;
export const hasEleventy = spawnSync('eleventy', ['--version']).status === 0;

/** The settings of Hugo: the outputs of each agent, and nothing else. */
const settings = {
  baseURL: 'https://example.org/',
  title: 'Agents',
  disableKinds: ['home', 'section', 'taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404'],
  markup: { goldmark: { renderer: { unsafe: false } } },
};

const skill = `---
name: {{ .File.ContentBaseName }}
description: {{ .Params.excerpt | jsonify }}
---

# {{ .Title }}

## Prompt

{{ .Params.prompt }}

## How it works

{{ .RawContent }}
`;
const sample = '\n# Sample\n\n## Input\n\n{{ .Params.sampleInput }}\n\n## Answer\n\n{{ .Params.sampleOutput }}\n';

/** What the build writes for each agent besides its page. Hugo cannot make archives, so their files are one text. */
const otherOutputs: Readonly<Record<string, string>> = {
  markdown: `# {{ .Title }}

> {{ .Params.excerpt }}

{{ .Params.problem }}

## The prompt

{{ .Params.prompt }}
{{ range .Params.steps }}
- **{{ .name }}** {{ .text }}{{ end }}

## How it works

{{ .RawContent }}
{{ range .Params.demo }}
- {{ .second }} {{ .label }} {{ .detail }}{{ end }}
${sample}`,
  data: '{{ dict "title" .Title "content" .RawContent "params" .Params | jsonify (dict "indent" "  ") }}\n',
  prompt: '{{ .Params.prompt }}',
  sample: '{{ .Params.sampleOutput }}',
  skill,
  skillarchive: skill + sample,
  pluginarchive: `${'{{ dict "name" .File.ContentBaseName "description" .Params.excerpt "keywords" .Params.tags | jsonify }}\n'.repeat(4)}${skill}${sample}`,
};

/** The same with all outputs of an agent. */
const sameWork = {
  ...settings,
  outputs: { page: ['HTML', ...Object.keys(otherOutputs)] },
  outputFormats: Object.fromEntries(
    Object.keys(otherOutputs).map((name) => [name, { mediaType: 'text/plain', baseName: name, isPlainText: true }]),
  ),
};

const template = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{ .Title }} · {{ site.Title }}</title>
<meta name="description" content="{{ .Params.excerpt }}">
<link rel="canonical" href="{{ .Permalink }}">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">{{ site.Title }}</a></header>
<main>
<h1>{{ .Title }}</h1>
<p>No. {{ .Params.issue }}, {{ .Date.Format "January 2, 2006" }}, {{ .Params.category }}, {{ delimit .Params.tags ", " }}</p>
<p>{{ .Params.excerpt }}</p>
<p>{{ .Params.problem }}</p>
<pre>{{ .Params.prompt }}</pre>
<ol>{{ range .Params.steps }}<li><b>{{ .name }}</b> {{ .text }}</li>{{ end }}</ol>
{{ .Content }}
<ol>{{ range .Params.demo }}<li>{{ .second }} {{ .label }} {{ .detail }}</li>{{ end }}</ol>
<pre>{{ .Params.sampleInput }}</pre>
<pre>{{ .Params.sampleOutput }}</pre>
{{ with .Prev }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
{{ with .Next }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
</main>
</body>
</html>
`;

/** Fills a page up to the size of the catalog's, which also has forms, navigation, ways to install and metadata. */
const filler = `<section>\n${'<p><a href="/">A line of the parts that all pages have, such as forms.</a></p>\n'.repeat(350)}</section>\n`;

/** Writes a Hugo site into `folder` that shows the agents of a catalog: all of their texts, one page for each. */
export function makeHugoSite(catalog: string, folder: string): void {
  mkdirSync(join(folder, 'layouts/_default'), { recursive: true });
  writeFileSync(join(folder, 'hugo.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'layouts/_default/single.html'), template);
  writePages(catalog, join(folder, 'content'));
}

/** The same with the work of `catalog build`: eight files for each agent, and pages as large as the catalog's. */
export function makeSameWorkSite(catalog: string, folder: string): void {
  makeHugoSite(catalog, folder);
  const layouts = join(folder, 'layouts/_default');
  writeFileSync(join(folder, 'hugo.json'), JSON.stringify(sameWork));
  writeFileSync(join(layouts, 'single.html'), template.replace('</main>', `${filler}</main>`));
  for (const [name, text] of Object.entries(otherOutputs)) writeFileSync(join(layouts, `single.${name}.txt`), text);
}

/** Writes an Eleventy site that renders one page for each agent, as the Hugo site does. */
export function makeEleventySite(catalog: string, folder: string): void {
  writePages(catalog, folder, 'layout: page.liquid\n');
  mkdirSync(join(folder, '_includes'));
  const page = `<!doctype html>
<title>{{ title | escape }}</title>
<h1>{{ title | escape }}</h1>
<p>{{ excerpt | escape }}</p>
<p>{{ problem | escape }}</p>
<pre>{{ prompt | escape }}</pre>
<ol>{% for step in steps %}<li><b>{{ step.name | escape }}</b> {{ step.text | escape }}</li>{% endfor %}</ol>
{{ content }}
<ol>{% for step in demo %}<li>{{ step.second }} {{ step.label | escape }} {{ step.detail | escape }}</li>{% endfor %}</ol>
<pre>{{ sampleInput | escape }}</pre>
<pre>{{ sampleOutput | escape }}</pre>
`;
  writeFileSync(join(folder, '_includes/page.liquid'), page);
  writeFileSync(join(folder, 'eleventy.config.cjs'), 'module.exports = () => ({ markdownTemplateEngine: false });\n');
}

/** Writes a Markdown file for each agent, with its other texts as front matter. */
function writePages(catalog: string, folder: string, settings = ''): void {
  mkdirSync(folder, { recursive: true });
  for (const slug of readdirSync(join(catalog, 'agents'))) {
    const read = (name: string) => readFileSync(join(catalog, 'agents', slug, name), 'utf8');
    const [, front = '', body = ''] = /^---\n(.*?\n)---\n(.*)$/s.exec(read('agent.md')) ?? [];
    const texts = { prompt: 'prompt.txt', sampleInput: 'sample-input.txt', sampleOutput: 'sample-output.txt' };
    const fields = Object.entries(texts).map(([key, name]) => `${key}: ${JSON.stringify(read(name))}\n`);
    writeFileSync(join(folder, `${slug}.md`), `---\n${settings}${front}${fields.join('')}---\n${body}`);
  }
}
