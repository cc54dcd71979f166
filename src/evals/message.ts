/**
 * The exact message that a model gets for a case: the prompt without white space at its end, one blank line, and the
 * input as it is. Without the prompt, the message is the input alone.
 */
export function messageOf(prompt: string, input: string): string {
  return `${prompt.trimEnd()}\n\n${input}`;
}

/**
 * The folder in evals/recordings/ for a model: its name in lowercase, with a hyphen for everything except letters,
 * digits and dots, such as `meta-llama-3.1-8b` for `meta/llama-3.1:8b`.
 */
export function modelFolder(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/\.(?=[.-]|$)|(?<=^|-)\./g, '-')
    .replace(/-+/g, '-')
    .slice(0, 64)
    .replace(/^[.-]+|[.-]+$/g, '');
  return modelFolderPattern.test(name) ? name : 'model';
}

const folderName = '[a-z0-9]+(?:[.-][a-z0-9]+)*';

/** The form of the name of a model's folder. */
export const modelFolderForm = new RegExp(`^${folderName}$`);

/** The names that a model's folder can have: those of this form that Windows does not reserve. */
export const modelFolderPattern = new RegExp(`^(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))${folderName}$`);
