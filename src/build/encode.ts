/** Where texts are encoded. A new buffer for each of thousands of files would take several times as long. */
const shared = Buffer.allocUnsafeSlow(1024 * 1024);

/** Encodes a text as UTF-8. The bytes are only valid until the next call. */
export function encode(text: string): Uint8Array {
  // A UTF-16 unit takes three bytes at most.
  return text.length * 3 > shared.length ? Buffer.from(text) : shared.subarray(0, shared.write(text));
}
