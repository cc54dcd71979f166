import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { serverOptions } from '../../src/server/options.ts';
import { serverSettings } from '../../src/server/settings.ts';

/** deploy/compose.yaml, as far as it can be checked without Docker. */

interface Service {
  environment?: Record<string, string>;
  command?: string[];
  volumes?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
}

const folder = new URL('../../deploy/', import.meta.url);
const text = readFileSync(new URL('compose.yaml', folder), 'utf8');
/** Fills in the variables as Compose does; every one without a default has to be given. */
const filled = text.replace(/(?<!\$)\$\{(\w+)(?::-([^}]*)|:\?)\}/g, (_, name: string, fallback?: string) => {
  return fallback ?? `${name.toLowerCase()}1`;
});
const { services, volumes } = parse(filled, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const servers = Object.entries(services).filter(([name]) => name.startsWith('server'));

test('two servers have settings that the program accepts, one database, and data of their own', () => {
  assert.is(servers.length, 2);
  const known = [
    ...Object.values(serverOptions).map(({ variable }) => variable as string),
    'DATABASE_URL',
    'CATALOG_BASE_URL',
  ];
  for (const [name, { environment = {}, stop_grace_period = '' }] of servers) {
    for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), `${name}: ${variable}`);
    const { database, drain, trustProxy, metrics } = serverSettings({}, environment, '/');
    assert.is(database, 'postgres://catalog_server:server_password1@database:5432/catalog');
    assert.is(trustProxy, 1);
    assert.is.not(metrics, null);
    // A server may take ten seconds after it has drained.
    assert.ok(Number.parseInt(stop_grace_period, 10) > drain + 10, name);
  }
  assert.equal(
    servers.map(([, server]) => server.volumes),
    [['server1:/srv/catalog'], ['server2:/srv/catalog']],
  );
});

test('the migration gives its rights to the role of the servers, and they wait for it', () => {
  const { database, migration, role } = services;
  assert.equal(migration?.command, ['catalog', 'db', 'migrate', '--grant', 'catalog_server']);
  assert.match(migration?.environment?.DATABASE_URL ?? '', /^postgres:\/\/catalog:postgres_password1@database:5432\//);
  assert.match(role?.command?.join('\n') ?? '', 'CREATE ROLE catalog_server LOGIN');
  const done = { condition: 'service_completed_successfully' };
  for (const [, server] of servers) assert.equal(server.depends_on, { migration: done });
  assert.equal(migration?.depends_on, { role: done });
  // docker_temp_server_start in docker-entrypoint.sh of docker-library/postgres does not listen on TCP, as the role needs it.
  assert.equal(role?.depends_on, { database: { condition: 'service_healthy' } });
  assert.match(database?.healthcheck?.test.join(' ') ?? '', 'pg_isready --host 127.0.0.1 ');
});

test('every volume is declared, and every file that is mounted exists', () => {
  for (const { volumes: mounted = [] } of Object.values(services)) {
    for (const source of mounted.map((each) => each.split(':')[0] as string)) {
      if (source.startsWith('.')) assert.ok(existsSync(new URL(source, folder)), source);
      else assert.ok(source in volumes, source);
    }
  }
});

test('the proxy sends requests to every server, and only while it is ready', () => {
  const proxy = readFileSync(new URL('compose.Caddyfile', folder), 'utf8');
  assert.match(proxy, `reverse_proxy ${servers.map(([name]) => `${name}:3000`).join(' ')} {`);
  assert.match(proxy, /health_uri \/readyz/);
});

test('the image can be built: nothing that the Dockerfile copies is kept from it', () => {
  const dockerfile = readFileSync(new URL('Dockerfile', folder), 'utf8');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const kept = readFileSync(new URL('../.dockerignore', folder), 'utf8').split('\n');
  assert.ok(copied.includes('tools/bundle.ts'));
  assert.equal(
    copied.filter((path) => !kept.includes(`!${path.split('/')[0]}`)),
    [],
  );
});

test.run();
