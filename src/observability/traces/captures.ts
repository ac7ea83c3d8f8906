import { type Endpoint, pcapFile, pcapRecord } from '../../../sip/capture/pcap.ts';
import type { TraceEntry } from '../../../sip/transport/trace-entry.ts';
import { maskedMessage } from './masked-message.ts';

/** Maximum number of captures. A new one replaces the oldest. */
const CAPTURES_MAX = 8;
/** Size of a capture, bytes: eleven minutes of G.711 in both directions. Later packets are dropped. */
const CAPTURE_BYTES_MAX = 16 * 1024 * 1024;

/** Source of packets: the media of a call. */
export interface Captured {
  capture(localAddress: string | null, onRecords: (records: Uint8Array) => void): void;
}

interface Capture {
  readonly chunks: Uint8Array[];
  bytes: number;
}

/** RTP captures, in memory only: a restart deletes them. */
export class Captures {
  readonly #captures = new Map<string, Capture>();

  /** Captures from now on until the end of the call or the size limit. Idempotent. */
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

  /** Deletes the capture and stops it. */
  forget(callId: string): void {
    this.#captures.delete(callId);
  }

  rtpOf(callId: string): readonly Uint8Array[] {
    return this.#captures.get(callId)?.chunks ?? [];
  }
}

/** A pcap file: masked SIP messages as datagrams between the own address and the peers, and captured RTP. */
export function captureFile(
  entries: readonly TraceEntry[],
  numbers: readonly (string | null)[],
  local: Endpoint,
  rtp: readonly Uint8Array[],
): Uint8Array {
  const sip = entries.map(({ at, direction, remote, bytes }) => {
    const peer = endpointOf(remote);
    const [from, to] = direction === 'sent' ? [local, peer] : [peer, local];
    const { head, body } = maskedMessage(bytes, numbers);
    return pcapRecord(at, from, to, Buffer.concat([Buffer.from(head), body]));
  });
  return pcapFile([...sip, ...rtp]);
}

/** Splits `address:port`. An IPv6 address contains colons, too. */
function endpointOf(remote: string): Endpoint {
  const at = remote.lastIndexOf(':');
  return { address: remote.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(remote.slice(at + 1)) };
}
