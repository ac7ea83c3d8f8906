import { type Endpoint, pcapFile, pcapRecord } from '../../../sip/capture/pcap.ts';
import type { TraceEntry } from '../../../sip/transport/trace.ts';
import { maskedMessage } from './masked-message.ts';

/** Captures at once and kept: the oldest goes for a new one. */
const CAPTURES_MAX = 8;
/** RTP of one: eleven minutes of G.711 both ways. What comes behind it is left out. */
const CAPTURE_BYTES_MAX = 16 * 1024 * 1024;

/** What captures packets: a call's media. */
export interface Captured {
  capture(localAddress: string | null, hand: (records: Uint8Array) => void): void;
}

interface Capture {
  readonly chunks: Uint8Array[];
  bytes: number;
}

/** The RTP of calls that somebody asked to capture, in memory: a restart forgets it. */
export class Captures {
  readonly #captures = new Map<string, Capture>();

  /** From now on, to the end of the call or the bound. Once more changes nothing. */
  begin(callId: string, media: Captured, localAddress: string): void {
    if (this.#captures.has(callId)) return;
    const capture: Capture = { chunks: [], bytes: 0 };
    this.#captures.set(callId, capture);
    const [oldest] = this.#captures.keys();
    if (this.#captures.size > CAPTURES_MAX && oldest !== undefined) this.#captures.delete(oldest);
    media.capture(localAddress, (records) => {
      if (capture.bytes + records.length > CAPTURE_BYTES_MAX || this.#captures.get(callId) !== capture) {
        media.capture(null, () => {});
        return;
      }
      capture.bytes += records.length;
      capture.chunks.push(records);
    });
  }

  /** What was captured, and what is to come. */
  forget(callId: string): void {
    this.#captures.delete(callId);
  }

  rtpOf(callId: string): readonly Uint8Array[] {
    return this.#captures.get(callId)?.chunks ?? [];
  }
}

/** A capture of a call: its SIP, masked, as datagrams between these and the peers, and what was captured of its RTP. */
export function captureFile(
  entries: readonly TraceEntry[],
  numbers: readonly (string | null)[],
  local: Endpoint,
  rtp: readonly Uint8Array[],
): Uint8Array {
  const sip = entries.map(({ at, direction, remote, bytes }) => {
    const peer = endpointOf(remote);
    const [from, to] = direction === 'sent' ? [local, peer] : [peer, local];
    return pcapRecord(at, from, to, maskedMessage(bytes, numbers));
  });
  return pcapFile([...sip, ...rtp]);
}

/** `address:port`; an IPv6 address holds colons of its own. */
function endpointOf(remote: string): Endpoint {
  const at = remote.lastIndexOf(':');
  return { address: remote.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(remote.slice(at + 1)) };
}
