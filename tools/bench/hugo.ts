import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasHugo = spawnSync('hugo', ['version']).status === 0;

/** The settings: one page for each agent, and nothing else. */
const settings = {
  baseURL: 'https://example.org/',
  title: 'Agents',
  disableKinds: ['home', 'section', 'taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404'],
  markup: { goldmark: { renderer: { unsafe: false } } },
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

/** Writes a Hugo site into `folder` that shows the agents of a catalog: all of their texts, one page for each. */
export function makeHugoSite(catalog: string, folder: string): void {
  mkdirSync(join(folder, 'content'), { recursive: true });
  mkdirSync(join(folder, 'layouts/_default'), { recursive: true });
  writeFileSync(join(folder, 'hugo.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'layouts/_default/single.html'), template);
  for (const slug of readdirSync(join(catalog, 'agents'))) {
    const read = (name: string) => readFileSync(join(catalog, 'agents', slug, name), 'utf8');
    const [, front = '', body = ''] = /^---\n(.*?\n)---\n(.*)$/s.exec(read('agent.md')) ?? [];
    const texts = { prompt: 'prompt.txt', sampleInput: 'sample-input.txt', sampleOutput: 'sample-output.txt' };
    const fields = Object.entries(texts).map(([key, name]) => `${key}: ${JSON.stringify(read(name))}\n`);
    writeFileSync(join(folder, 'content', `${slug}.md`), `---\n${front}${fields.join('')}---\n${body}`);
  }
}
