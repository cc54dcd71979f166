/** One setting: how its flag and its variable are called, and what `--help` says. */
export interface ServerOption {
  flag: string;
  variable: string;
  fallback: string;
  about: string;
}

/** Every setting that has a flag. `--help` and the documentation list them from here. */
export const serverOptions = {
  port: {
    flag: '--port <port>',
    variable: 'PORT',
    fallback: '3000',
    about: 'port to listen on; 0: any free port',
  },
  host: { flag: '--host <host>', variable: 'HOST', fallback: '127.0.0.1', about: 'address to listen on' },
  out: { flag: '--out <dir>', variable: 'CATALOG_DIST', fallback: 'dist', about: 'build folder' },
  data: {
    flag: '--data <dir>',
    variable: 'CATALOG_DATA',
    fallback: 'data',
    about: 'folder for votes and subscribers',
  },
  votes: {
    flag: '--votes <file>',
    variable: 'CATALOG_VOTES',
    fallback: '',
    about: 'vote log; default: votes.jsonl in the data folder',
  },
  voteRate: {
    flag: '--vote-rate <count/seconds>',
    variable: 'CATALOG_VOTE_RATE',
    fallback: '30/60',
    about: 'votes per client, or off',
  },
  subscribeRate: {
    flag: '--subscribe-rate <count/seconds>',
    variable: 'CATALOG_SIGNUP_RATE',
    fallback: '20/60',
    about: 'subscriptions per client, or off',
  },
  mcpRate: {
    flag: '--mcp-rate <count/seconds>',
    variable: 'CATALOG_MCP_RATE',
    fallback: '3000/60',
    about: 'MCP messages per client, or off',
  },
  refusedRate: {
    flag: '--refused-rate <count/seconds>',
    variable: 'CATALOG_REFUSED_RATE',
    fallback: '120/60',
    about: 'refused requests per client, or off; further ones get status 429',
  },
  databaseConnections: {
    flag: '--database-connections <count>',
    variable: 'CATALOG_DATABASE_CONNECTIONS',
    fallback: '10',
    about: 'simultaneous connections to the database',
  },
  limitFailure: {
    flag: '--limit-failure <mode>',
    variable: 'CATALOG_LIMIT_FAILURE',
    fallback: 'open',
    about:
      'while the database is unavailable: open (each server counts alone) or closed (votes and subscriptions get 429)',
  },
  maxConnections: {
    flag: '--max-connections <count>',
    variable: 'CATALOG_MAX_CONNECTIONS',
    fallback: '1000',
    about: 'simultaneous connections; 0: no limit',
  },
  maxClientConnections: {
    flag: '--max-client-connections <count>',
    variable: 'CATALOG_MAX_CLIENT_CONNECTIONS',
    fallback: '200',
    about: 'simultaneous connections per client, if no proxy is trusted; 0: no limit',
  },
  trustProxy: {
    flag: '--trust-proxy <hops>',
    variable: 'CATALOG_TRUST_PROXY',
    fallback: '0',
    about: 'number of proxies in front of the server; with 0, X-Forwarded-For is ignored',
  },
  allowOrigin: {
    flag: '--allow-origin <origin...>',
    variable: 'CATALOG_ALLOW_ORIGIN',
    fallback: '',
    about: "origins, besides the site's own, whose pages may send votes and subscriptions",
  },
  subscribers: {
    flag: '--subscribers <provider>',
    variable: 'CATALOG_SIGNUPS',
    fallback: 'file',
    about: 'where subscribers are stored: file, buttondown, resend, listmonk or webhook',
  },
  metrics: {
    flag: '--metrics <host:port>',
    variable: 'CATALOG_METRICS',
    fallback: '',
    about: 'separate address for /metrics in the text format of Prometheus; default: none',
  },
  drain: {
    flag: '--drain <seconds>',
    variable: 'CATALOG_DRAIN',
    fallback: '0',
    about:
      'how long to keep serving after SIGTERM, with 503 at /readyz, so that a load balancer stops sending requests',
  },
  logLevel: {
    flag: '--log-level <level>',
    variable: 'LOG_LEVEL',
    fallback: 'info',
    about: 'fatal, error, warn, info, debug, trace or silent',
  },
} as const satisfies Record<string, ServerOption>;

export type ServerFlags = Partial<Record<keyof typeof serverOptions, string | string[]>>;
