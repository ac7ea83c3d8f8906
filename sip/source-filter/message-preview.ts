import { previewCallId } from '../message/header-text.ts';

/** Headers come first; later bytes are not searched. */
const HEAD_BYTES_MAX = 4_096;

/** Names of tools that search the network for open SIP ports, in User-Agent. No phone uses them, so no call is lost. */
const SCANNER_AGENT =
  /\nuser-agent[ \t]*:[^\n]*\b(?:friendly-(?:scanner|request)|sip-?vicious|sundayddr|sip-?scan|sipcli\/|pplsip|iwar\b|siparmyknife|sivus|vaxa?sip|smap\b)/i;

/**
 * Those that such tools write as display name of From. Neither the address nor the tag is searched: a random tag may end in «iwar», and
 * Iwar is a name of people.
 */
const SCANNER_CALLER =
  /\n(?:from|f)[ \t]*:[ \t]*(?:"[^"\n]*|[^\n"<:;]*)\b(?:friendly-(?:scanner|request)|sip-?vicious|sundayddr|sip-?scan|pplsip|siparmyknife|vaxa?sip)/i;

/** Facts about an unparsed message, by a pattern match of some microseconds. */
export interface MessagePreview {
  /** null if none is found. */
  readonly callId: string | null;
  readonly isScanner: boolean;
}

export function previewMessage(bytes: Uint8Array): MessagePreview {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES_MAX)).toString('latin1');
  return { callId: previewCallId(bytes), isScanner: SCANNER_AGENT.test(head) || SCANNER_CALLER.test(head) };
}
