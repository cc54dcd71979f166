import type { McpCatalog } from './catalog.ts';
import { codes, RpcError } from './errors.ts';
import { agentTemplate, catalogTemplate } from './resources.ts';

export interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
}

/** The most values in an answer (MCP, completion). */
const mostValues = 100;

/**
 * completion/complete: completes slugs, categories and tags in the templates of resources. The inputs of a prompt have no
 * completions. Throws RpcError -32602 for an unknown prompt or template.
 */
export function complete({ ref, argument }: CompleteParams, catalog: McpCatalog): object {
  const values = completed(candidates(ref, argument.name, catalog), argument.value);
  return {
    completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
  };
}

function candidates(ref: CompleteParams['ref'], argument: string, catalog: McpCatalog): readonly string[] {
  if (ref.type === 'ref/prompt') {
    if (catalog.slugOf(ref.name) === undefined)
      throw new RpcError(codes.invalidParams, 'There is no such prompt; prompts/list lists them all.');
    return [];
  }
  const keys = (counted: McpCatalog['tags']) => counted.map(({ key }) => key);
  if (ref.uri === agentTemplate) return argument === 'slug' ? [...catalog.bySlug.keys()] : [];
  if (ref.uri !== catalogTemplate)
    throw new RpcError(
      codes.invalidParams,
      'There is no such resource template; resources/templates/list lists them all.',
    );
  return argument === 'category' ? keys(catalog.categories) : argument === 'tag' ? keys(catalog.tags) : [];
}

/** The values that start with the text, then those that contain it elsewhere. */
function completed(values: readonly string[], text: string): string[] {
  const sought = text.trim().toLowerCase();
  const starting = values.filter((value) => value.startsWith(sought));
  return [...starting, ...values.filter((value) => !value.startsWith(sought) && value.includes(sought))];
}
