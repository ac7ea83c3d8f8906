/** The type of a body without a Content-Type. */
export const SDP_TYPE = 'application/sdp';

const SDP = /^application\/sdp[ \t]*(?:;|$)/i;
const MULTIPART = /^multipart\/[a-z-]+[ \t]*;(?:.*;)?[ \t]*boundary[ \t]*=[ \t]*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const PART_OF_SDP = /(?:^|\r\n)content-type[ \t]*:[ \t]*application\/sdp[ \t]*(?:;|\r\n|$)/i;

/**
 * The session description in a body or in one of its parts (RFC 5621, RFC 2046 §5.1). Other parts, as ISUP or a location,
 * are ignored. Null without a description. Never throws.
 */
export function sdpOfBody(contentType: string, body: string): string | null {
  if (SDP.test(contentType)) return body;
  const [, quoted, plain] = MULTIPART.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const [, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`);
  for (const part of parts) {
    const headEnd = part.indexOf('\r\n\r\n');
    if (headEnd < 0 || !/^[ \t]*\r\n/.test(part) || !PART_OF_SDP.test(part.slice(0, headEnd))) continue;
    const sdp = part.slice(headEnd + 4);
    return sdp.endsWith('\r\n') ? sdp : `${sdp}\r\n`;
  }
  return null;
}
