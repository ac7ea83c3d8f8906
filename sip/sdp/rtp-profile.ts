/**
 * The supported RTP profiles: RTP/AVP (RFC 3551), RTP/SAVP (RFC 3711), and both with feedback (RFC 4585, 5124). Feedback
 * is neither requested nor used.
 */
const PLAIN = new Set(['RTP/AVP', 'RTP/AVPF']);
const SECURE = new Set(['RTP/SAVP', 'RTP/SAVPF']);

export function isPlainProfile(protocol: string): boolean {
  return PLAIN.has(protocol);
}

export function isSecureProfile(protocol: string): boolean {
  return SECURE.has(protocol);
}

/** The profile of our offer. Within a call it keeps the feedback of the previous profile; null: this is the first offer. */
export function offeredProfile(isSecure: boolean, previousProfile: string | null): string {
  const profile = isSecure ? 'RTP/SAVP' : 'RTP/AVP';
  return previousProfile === `${profile}F` ? previousProfile : profile;
}
