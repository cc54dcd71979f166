import type { Middleware } from 'polka';

/** One row of the table of routes. `ALL` is every method that no earlier row of the same path has. */
export type Route = [method: 'GET' | 'POST' | 'OPTIONS' | 'ALL', path: string, handler: Middleware];
