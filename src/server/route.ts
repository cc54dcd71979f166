import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Target } from './target.ts';

/** Answers a request; `target` is its parsed target. */
export type Handler = (request: IncomingMessage, response: ServerResponse, target: Target) => void | Promise<void>;

/**
 * One row of the table of routes. The path must match exactly. GET also answers HEAD, and `ALL` is every method that has
 * no other row with the path.
 */
export type Route = [method: 'GET' | 'POST' | 'OPTIONS' | 'ALL', path: string, handler: Handler];

/** Returns a function that finds the handler for a method and a path. */
export function routeFinder(routes: readonly Route[]): (method: string, path: string) => Handler | undefined {
  const paths = new Map<string, Map<string, Handler>>();
  for (const [method, path, handler] of routes) paths.set(path, (paths.get(path) ?? new Map()).set(method, handler));
  return (method, path) => {
    const methods = paths.get(path);
    return methods?.get(method === 'HEAD' ? 'GET' : method) ?? methods?.get('ALL');
  };
}
