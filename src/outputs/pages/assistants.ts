/** An assistant that takes a prompt in an address. */
export interface Assistant {
  name: string;
  /** Where it starts without a prompt. */
  home: string;
  /** What the percent-encoded prompt is put after. */
  prefill: string;
  /** The longest whole address, in characters, that is sure to arrive. */
  limit: number;
}

/** The length of an address that every sender and recipient should support (RFC 9110, section 4.1); Cursor names the same. */
const limit = 8000;

/** The assistants that the pages offer to open a prompt in. Others (Gemini, for one) take no prompt in an address. */
export const assistants: readonly Assistant[] = [
  { name: 'Claude', home: 'https://claude.ai/new', prefill: 'https://claude.ai/new?q=', limit },
  { name: 'ChatGPT', home: 'https://chatgpt.com/', prefill: 'https://chatgpt.com/?q=', limit },
  { name: 'Perplexity', home: 'https://www.perplexity.ai/', prefill: 'https://www.perplexity.ai/search?q=', limit },
  { name: 'Cursor', home: 'https://cursor.com/', prefill: 'https://cursor.com/link/prompt?text=', limit },
];
