/** The license of every published prompt, which the contract fixes (C1.7). */
export const promptLicense = {
  /** The SPDX identifier. */
  id: 'CC-BY-4.0',
  name: 'CC BY 4.0',
  url: 'https://creativecommons.org/licenses/by/4.0/',
} as const;

/** The licenses under which a text by others may be published under the license of prompts: SPDX identifiers. */
const compatible = [promptLicense.id, 'CC0-1.0', '0BSD', 'MIT-0', 'Unlicense'];

/** Whether a text with this license may be published under the license of prompts. Unknown licenses give no permission. */
export function isPublishable(license: string): boolean {
  return compatible.some((id) => id.toLowerCase() === license.toLowerCase());
}

/** The licenses that `isPublishable` accepts, as text. */
export const publishableLicenses = compatible.join(', ');
