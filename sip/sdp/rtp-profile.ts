/**
 * The profiles of RTP that are spoken: RTP/AVP (RFC 3551) and RTP/SAVP (RFC 3711), and these two with feedback (RFC 4585,
 * 5124), of which none is asked for and none is used.
 */
const PLAIN = new Set(['RTP/AVP', 'RTP/AVPF']);
const SECURE = new Set(['RTP/SAVP', 'RTP/SAVPF']);

export function isPlainProfile(protocol: string): boolean {
  return PLAIN.has(protocol);
}

export function isSecureProfile(protocol: string): boolean {
  return SECURE.has(protocol);
}

/** Of our offer. Within a call feedback stays as it was (`before`; null at its start). */
export function offeredProfile(isSecure: boolean, before: string | null): string {
  const profile = isSecure ? 'RTP/SAVP' : 'RTP/AVP';
  return before === `${profile}F` ? before : profile;
}
