import { publication, rich } from '../rich-catalog.ts';

/** Addresses and labels that many surfaces show. */

export const base = publication.baseUrl;
export const address = `${base}/agents/${rich.slug}`;
export const coding = publication.categories.coding.label;
export const writing = publication.categories.writing.label;

/** The link that adds the branch `install` of its repository to VS Code. */
export const vscodeLink = `vscode://chat-plugin/add-marketplace?ref=${Buffer.from('press/catalog#install').toString('base64url')}`;

/** The name of the marketplace: the letters of the title, which end at the 40th character. */
export const marketplace = 'publication-i-amp-quoted-single';
