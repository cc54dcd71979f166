import { hash } from 'node:crypto';

/** Hashes bytes or a text: SHA-256, in base64url. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}

/** Returns the SHA-256 of bytes or a text in hexadecimal, as `sha256sum` prints it. */
export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
