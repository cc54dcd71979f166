/** An assistant that accepts a prompt in an address. */
export interface Assistant {
  name: string;
  /** Its address without a prompt. */
  home: string;
  /** The address to append the percent-encoded prompt to. */
  prefill: string;
  /** The longest address that works reliably, in characters. */
  limit: number;
}

/** The length that every sender and recipient should support (RFC 9110, section 4.1), and that Cursor documents. */
const limit = 8000;

/** The assistants that pages can open a prompt in. Others, such as Gemini, accept no prompt in an address. */
export const assistants: readonly Assistant[] = [
  { name: 'Claude', home: 'https://claude.ai/new', prefill: 'https://claude.ai/new?q=', limit },
  { name: 'ChatGPT', home: 'https://chatgpt.com/', prefill: 'https://chatgpt.com/?q=', limit },
  { name: 'Perplexity', home: 'https://www.perplexity.ai/', prefill: 'https://www.perplexity.ai/search?q=', limit },
  { name: 'Cursor', home: 'https://cursor.com/', prefill: 'https://cursor.com/link/prompt?text=', limit },
];
