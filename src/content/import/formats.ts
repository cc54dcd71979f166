/** The formats that keep a prompt in a file: which files have one, and where its name is. */
export const fileFormats: Record<string, { files: RegExp; nameIn: 'folder' | 'file' }> = {
  skill: { files: /^SKILL\.md$/, nameIn: 'folder' },
  fabric: { files: /^system\.md$/, nameIn: 'folder' },
  copilot: { files: /\.(?:prompt|agent|chatmode)\.md$/, nameIn: 'file' },
  cursor: { files: /\.mdc$/, nameIn: 'file' },
  'claude-agent': { files: /^(?!README)[^.]+\.md$/i, nameIn: 'file' },
  text: {
    files: /^(?!(?:README|LICENSE|CHANGELOG|CONTRIBUTING|SECURITY|CODE_OF_CONDUCT)\b)[^.].*\.(?:md|txt)$/i,
    nameIn: 'file',
  },
};
