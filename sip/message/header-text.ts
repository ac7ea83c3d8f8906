const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Windows-1252 in practice (WHATWG Encoding, «latin1»). */
const latin1 = new TextDecoder('latin1');

/**
 * The text of start line and headers. A line that is not valid UTF-8 (RFC 3261 §25.1) is read as Latin-1, which older
 * exchanges write. Each line is decoded by itself, so that a value has the same text if only a part of the message is read.
 */
export function decodeHeaderText(bytes: Uint8Array): string {
  return decode(bytes) ?? decodeLines(bytes);
}

/** Headers come first; later bytes are not searched. */
const HEAD_BYTES_MAX = 4_096;
/** A folded value is found too. */
const CALL_ID = /\n(?:call-id|i)[ \t]*:(?:[ \t]|\r\n[ \t])*([^ \t\r\n]+)/i;

/** The Call-ID of an unparsed message, null if none is found. The parser refuses all but ASCII in it. */
export function previewCallId(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES_MAX)).toString('latin1');
  return CALL_ID.exec(head)?.[1] ?? null;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function decodeLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    const line = bytes.subarray(start, end);
    lines.push(decode(line) ?? latin1.decode(line));
    start = end;
  }
  return lines.join('');
}
