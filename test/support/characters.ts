import fc from 'fast-check';

/** Any character of Unicode. fast-check's own `binary` is the same, but first makes a table of all of them. */
export const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));
