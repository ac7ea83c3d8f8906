/** RFC 3261 §25.1 `token`: methods, header names, parameter names, transports. */
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Trims the blanks of SIP's LWS (space, tab) only: other Unicode blanks belong to a value. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
