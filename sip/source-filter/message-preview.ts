import { previewCallId } from '../message/header-text.ts';

/** Headers come first; later bytes are not searched. */
const HEAD_BYTES_MAX = 4_096;

/**
 * Names of tools that search the network for open SIP ports, in User-Agent or the display name of From. No phone uses
 * them, so no call is lost.
 */
const SCANNER =
  /\n(?:user-agent|from|f)[ \t]*:[^\n]*(?:friendly-(?:scanner|request)|sip-?vicious|sundayddr|sip-?scan|sipcli\/|pplsip|iwar\b|siparmyknife|sivus|vaxa?sip(?:useragent)?|smap\b)/i;

/** Facts about an unparsed message, by a pattern match of some microseconds. */
export interface MessagePreview {
  /** null if none is found. */
  readonly callId: string | null;
  readonly isScanner: boolean;
}

export function previewMessage(bytes: Uint8Array): MessagePreview {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES_MAX)).toString('latin1');
  return { callId: previewCallId(bytes), isScanner: SCANNER.test(head) };
}
