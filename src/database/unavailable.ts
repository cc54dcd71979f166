/** The database cannot be reached or cannot work at the moment; `cause` says why. It was logged once. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super('The database is not available.', { cause });
  }
}
