/** The license of every published prompt, which the contract fixes (C1.7). */
export const promptLicense = {
  /** The SPDX identifier. */
  id: 'CC-BY-4.0',
  name: 'CC BY 4.0',
  url: 'https://creativecommons.org/licenses/by/4.0/',
} as const;
