/** The database cannot be reached or cannot work at the moment; `cause` says why. The log has been told of it once. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super('The database is not available.', { cause });
  }
}
