import { codes, RpcError } from './errors.ts';

/** One page of a list of agents, newest first. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | undefined;
}

/**
 * The page of `items` (newest first) after the agent in the cursor, so that an agent published meanwhile shifts nothing.
 *
 * Returns null for a cursor that this server cannot have given.
 */
export function pageOf<Item extends { issue: number }>(
  items: readonly Item[],
  cursor: string | undefined,
  size: number,
): Page<Item> | null {
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : issueOf(cursor);
  if (before === null) return null;
  const start = cursor === undefined ? 0 : items.findIndex(({ issue }) => issue < before);
  const page = start === -1 ? [] : items.slice(start, start + size);
  const last = page.at(-1);
  const goesOn = last !== undefined && items.at(-1) !== last;
  return { items: page, nextCursor: goesOn ? cursorAfter(last.issue) : undefined };
}

/** The same for the list methods. Throws RpcError -32602 for a cursor that this server cannot have given. */
export function listPage<Item extends { issue: number }>(
  items: readonly Item[],
  cursor: string | undefined,
): Page<Item> {
  const page = pageOf(items, cursor, listPageSize);
  if (page === null)
    throw new RpcError(
      codes.invalidParams,
      'This server did not return this cursor. Leave it out to get the first page.',
    );
  return page;
}

/** The entries in an answer of a list method. 10,000 agents stay below the 64 pages that clients follow. */
const listPageSize = 200;

function cursorAfter(issue: number): string {
  return Buffer.from(`before ${issue}`).toString('base64url');
}

function issueOf(cursor: string): number | null {
  const issue = /^before ([1-9]\d{0,8})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  return issue !== undefined && cursorAfter(Number(issue)) === cursor ? Number(issue) : null;
}
