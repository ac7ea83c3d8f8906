/** What an offer and its answer agreed on for one audio stream (RFC 3264), in the terms of the media plane. */
export interface RtpSession {
  readonly codec: 'pcmu' | 'pcma';
  readonly payloadType: number;
  /** RFC 4733 payload type at 8 kHz, null where the peer takes none. */
  readonly dtmfPayloadType: number | null;
  /** That of the peer's own events, where it is another: each side names the number that it is sent (RFC 3264 §5.1). */
  readonly dtmfReceivePayloadType?: number;
  /** Where the peer's SDP wants its packets. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  /**
   * Source addresses that packets may be latched to besides `remoteAddress`: the SIP source's, where the SDP's address
   * is private or the trunk says `nat`.
   */
  readonly allowedAddresses: readonly string[];
  /** Ours, after their answer: `inactive` and `recvonly` send nothing. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
}
