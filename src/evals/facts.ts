/** Finds what an answer claims to have from its input: quotations and numbers. */

/** The shortest quotation that is looked for. Shorter ones are often labels, such as "unknown". */
const shortestQuotation = 12;

/**
 * Returns the quotations of an answer: texts of a line between double quotes, straight or curly. An ellipsis separates
 * two quotations, since it marks text that was left out.
 */
export function quotationsIn(answer: string): string[] {
  return [...answer.matchAll(/"([^"\n]+)"|[“„]([^“”„\n]+)[“”]|«([^«»\n]+)»/g)]
    .flatMap(([, straight, curly, angled]) => (straight ?? curly ?? angled ?? '').split(/\[?(?:\.{3}|…)\]?/))
    .map((quotation) => quotation.trim().replace(/[.,;:!?]{1,3}$/, ''))
    .filter((quotation) => quotation.length >= shortestQuotation);
}

/** Returns the quotations that do not occur in `source`. White space and the form of quotes make no difference. */
export function inventedQuotations(quotations: readonly string[], source: string): string[] {
  const text = comparable(source);
  return quotations.filter((quotation) => !text.includes(comparable(quotation)));
}

function comparable(text: string): string {
  return text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replaceAll('\\|', '|')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the numbers of a text, each in a form for comparison: `1,240.50` becomes `1240.5`. Numbers of list entries,
 * and digits in a word such as C3, are left out. Dates and times are several numbers.
 */
export function numbersIn(text: string): string[] {
  const withoutMarkers = text.replace(/^[ \t]*(?:#{1,6} )?(?:\*\*)?\d+[.)](?=[ \t])/gm, '');
  return [...withoutMarkers.matchAll(/(?<![\p{L}\p{N}_.]|[\p{L}_]-)\d+(?:[.,]\d+)*/gu)].map(([number]) =>
    plainNumber(number),
  );
}

/** Returns the form for comparison of a number. */
export function plainNumber(number: string): string {
  const digits = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(number) ? number.replaceAll(',', '') : number;
  return /^\d+(?:\.\d+)?$/.test(digits) ? String(Number(digits)) : digits;
}
