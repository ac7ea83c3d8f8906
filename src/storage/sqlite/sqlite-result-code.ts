/** The primary result code (https://www.sqlite.org/rescode.html) of an error of SQLite; null of any other. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}
