/** Byte offsets in a file, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses the single range of a `Range` header (RFC 9110 §14.1.2) for a file of `size` bytes. null: send the whole file, which
 * §14.2 allows; also for several ranges and for ranges outside the file.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : null;
}
