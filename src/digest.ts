import { hash } from 'node:crypto';

/** Hashes bytes or a text: SHA-256, in base64url. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}
