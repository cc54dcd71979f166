import { createHmac } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

/**
 * Returns the pseudonym of a client: the HMAC-SHA-256 (RFC 2104) of the network of its address, cut to 128 bits, in
 * hexadecimal.
 *
 * Without the secret, nobody can find the address by trying all of them. Once the secret is overwritten, nobody can.
 */
export function pseudonym(secret: Buffer, address: string): string {
  return createHmac('sha256', secret).update(networkOf(address)).digest('hex').slice(0, 32);
}

/**
 * Returns the network that counts as one client (C8.24): an IPv4 address itself, and the /64 of an IPv6 address, since a
 * household or a phone has a whole /64. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) counts as IPv4. Anything
 * that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const plain = address.split('%', 1)[0] as string;
  if (isIP(plain) !== 6) return address;
  const groups = groupsOf(plain);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return groups.slice(6).flatMap(bytesOf).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::') as [string, string | undefined];
  const before = numbersOf(head);
  if (tail === undefined) return before;
  const after = numbersOf(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function numbersOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function bytesOf(group: number): number[] {
  return [group >> 8, group & 0xff];
}
