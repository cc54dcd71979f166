import { toJson } from '../../schema/documents.ts';
import type { Part } from '../output.ts';

/** An item of a list in a JSON document. */
interface Item {
  /** What it is made from, as the inputs of a file. */
  input: string;
  value(): unknown;
}

/** Divides `toJson({ ...document, [field]: items })` into parts, one for each item. */
export function jsonParts(document: object, field: string, items: readonly Item[]): Part[] {
  if (items.length === 0) return [{ input: 'empty', render: () => toJson({ ...document, [field]: [] }) }];
  const item = '<item>';
  const [before = '', after = ''] = toJson({ ...document, [field]: [item] }).split(JSON.stringify(item));
  const separator = `,${before.slice(before.lastIndexOf('\n'))}`;
  return [
    { input: before, render: () => before },
    ...items.map(({ input, value }, index) => ({
      input: index === 0 ? `first ${input}` : input,
      render: () => (index === 0 ? '' : separator) + indented(value()),
    })),
    { input: after, render: () => after },
  ];
}

/** An item as JSON, with the indentation that it has in the list. */
function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n    ');
}
