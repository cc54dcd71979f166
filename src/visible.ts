/**
 * Makes one harmless line of a text that anybody may have written: a terminal obeys control characters (escape
 * sequences above all) and turns the order of text at bidirectional ones.
 */
export function visible(text: string): string {
  return text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, '�')
    .trim();
}
