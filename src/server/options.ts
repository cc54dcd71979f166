type Names = [flag: string, variable: string, fallback: string];

/** One setting: how its flag and its variable are called, and what `--help` says. */
function option([flag, variable, fallback]: Names, about: string) {
  return { flag, variable, fallback, about };
}

/** Every setting that has a flag. `--help` and the documentation list them from here. */
export const serverOptions = {
  port: option(['--port <port>', 'PORT', '3000'], 'port to listen on; 0: any free port'),
  host: option(['--host <host>', 'HOST', '127.0.0.1'], 'address to listen on'),
  out: option(['--out <dir>', 'CATALOG_DIST', 'dist'], 'build folder'),
  data: option(['--data <dir>', 'CATALOG_DATA', 'data'], 'folder for votes and subscribers'),
  votes: option(['--votes <file>', 'CATALOG_VOTES', ''], 'vote log; default: votes.jsonl in the data folder'),
  voteRate: option(['--vote-rate <count/seconds>', 'CATALOG_VOTE_RATE', '30/60'], 'votes per client, or off'),
  subscribeRate: option(
    ['--subscribe-rate <count/seconds>', 'CATALOG_SIGNUP_RATE', '20/60'],
    'subscriptions per client, or off',
  ),
  mcpRate: option(['--mcp-rate <count/seconds>', 'CATALOG_MCP_RATE', '3000/60'], 'MCP messages per client, or off'),
  refusedRate: option(
    ['--refused-rate <count/seconds>', 'CATALOG_REFUSED_RATE', '120/60'],
    'refused requests per client, or off; further ones get status 429',
  ),
  databaseConnections: option(
    ['--database-connections <count>', 'CATALOG_DATABASE_CONNECTIONS', '10'],
    'simultaneous connections to the database',
  ),
  limitFailure: option(
    ['--limit-failure <mode>', 'CATALOG_LIMIT_FAILURE', 'open'],
    'while the database is unavailable: open (each server counts alone) or closed (votes and subscriptions get 429)',
  ),
  maxConnections: option(
    ['--max-connections <count>', 'CATALOG_MAX_CONNECTIONS', '1000'],
    'simultaneous connections; 0: no limit',
  ),
  maxClientConnections: option(
    ['--max-client-connections <count>', 'CATALOG_MAX_CLIENT_CONNECTIONS', '200'],
    'simultaneous connections per client, if no proxy is trusted; 0: no limit',
  ),
  trustProxy: option(
    ['--trust-proxy <hops>', 'CATALOG_TRUST_PROXY', '0'],
    'number of proxies in front of the server; with 0, X-Forwarded-For is ignored',
  ),
  allowOrigin: option(
    ['--allow-origin <origin...>', 'CATALOG_ALLOW_ORIGIN', ''],
    "origins, besides the site's own, whose pages may send votes and subscriptions",
  ),
  subscribers: option(
    ['--subscribers <provider>', 'CATALOG_SIGNUPS', 'file'],
    'where subscribers are stored: file, buttondown, resend, listmonk or webhook',
  ),
  metrics: option(
    ['--metrics <host:port>', 'CATALOG_METRICS', ''],
    'separate address for /metrics in the text format of Prometheus; default: none',
  ),
  drain: option(
    ['--drain <seconds>', 'CATALOG_DRAIN', '0'],
    'how long to keep serving after SIGTERM, with 503 at /readyz, so that a load balancer stops sending requests',
  ),
  logLevel: option(['--log-level <level>', 'LOG_LEVEL', 'info'], 'fatal, error, warn, info, debug, trace or silent'),
};

export type ServerFlags = Partial<Record<keyof typeof serverOptions, string | string[]>>;
