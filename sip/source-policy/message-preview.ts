/** Headers stand in front; what begins later than this is not looked for. */
const HEAD_BYTES_MAX = 4_096;

const CALL_ID = /\n(?:call-id|i)[ \t]*:[ \t]*([^\s]+)/i;

/**
 * What tools that search the network for open SIP ports call themselves, in User-Agent or in the name of From. They are no
 * phones: no call is lost with them.
 */
const SCANNER =
  /\n(?:user-agent|from|f)[ \t]*:[^\n]*(?:friendly-(?:scanner|request)|sip-?vicious|sundayddr|sip-?scan|sipcli\/|pplsip|iwar\b|siparmyknife|sivus|vaxa?sip(?:useragent)?|smap\b)/i;

/** What a message says of itself before it was read: a look at its text, some microseconds. */
export interface MessagePreview {
  /** null where none is found. */
  readonly callId: string | null;
  readonly isScanner: boolean;
}

export function previewMessage(bytes: Uint8Array): MessagePreview {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES_MAX)).toString('latin1');
  return { callId: CALL_ID.exec(head)?.[1] ?? null, isScanner: SCANNER.test(head) };
}
