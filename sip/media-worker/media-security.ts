import { createPacketCipher } from '../rtp/srtp/create-cipher.ts';
import { SrtcpReceiver, SrtcpSender } from '../rtp/srtp/srtcp-stream.ts';
import { SrtpReceiver, SrtpSender } from '../rtp/srtp/srtp-stream.ts';
import { SRTP_SUITES, type SrtpParameters } from '../rtp/srtp/srtp-suite.ts';
import { ROLL_OVER } from './slot-memory.ts';

/** The streams of one agreement, which go on as long as its keys do. */
interface Streams {
  readonly parameters: SrtpParameters;
  readonly sender: SrtpSender;
  readonly receiver: SrtpReceiver;
  readonly rtcpSender: SrtcpSender;
  readonly rtcpReceiver: SrtcpReceiver;
}

/**
 * SRTP of one call, or none: what is handed through is then left as it is. Once keys were agreed on, nothing goes out plain
 * and nothing plain is taken. The roll-over counter of what the peer sends stands in the call's shared memory, since only
 * the packets themselves tell it: so another worker can go on after more than 65,536 of them.
 */
export class MediaSecurity {
  private readonly control: Int32Array;
  private streams: Streams | null = null;

  constructor(control: Int32Array) {
    this.control = control;
  }

  /** A session's keys; the same ones as before change nothing. Throws a RangeError for keys that do not fit the suite. */
  configure(parameters: SrtpParameters | undefined): void {
    if (parameters === undefined) {
      this.streams = null;
      return;
    }
    const before = this.streams?.parameters;
    if (before !== undefined && isSame(before, parameters)) return;
    // Of other keys, the counter would be another stream's.
    if (before !== undefined) this.control[ROLL_OVER] = 0;
    // Only a call that a dead worker held comes here with one.
    const known = (this.control[ROLL_OVER] ?? 0) >>> 0;
    this.streams = createStreams(parameters, known === 0 ? null : known - 1, (rollOver) => {
      this.control[ROLL_OVER] = rollOver + 1;
    });
  }

  /** What is to leave in the packet's place, valid until the next one; null where nothing may. */
  protect(packet: Uint8Array): Uint8Array | null {
    return this.streams === null ? packet : this.streams.sender.protect(packet);
  }

  /** The plain packet, decrypted in place; null where it is not the peer's, or was taken before. */
  unprotect(packet: Uint8Array): Uint8Array | null {
    if (this.streams === null) return packet;
    const length = this.streams.receiver.unprotect(packet);
    return length === 0 ? null : packet.subarray(0, length);
  }

  protectRtcp(packet: Uint8Array): Uint8Array {
    return this.streams === null ? packet : this.streams.rtcpSender.protect(packet);
  }

  unprotectRtcp(packet: Uint8Array): Uint8Array | null {
    if (this.streams === null) return packet;
    const length = this.streams.rtcpReceiver.unprotect(packet);
    return length === 0 ? null : packet.subarray(0, length);
  }
}

function createStreams(
  parameters: SrtpParameters,
  startAt: number | null,
  onRollOver: (rollOver: number) => void,
): Streams {
  const { suite, localKey, remoteKey } = parameters;
  const { tagBytes, rtcpTagBytes, transform } = SRTP_SUITES[suite];
  const layout = { tagBytes: rtcpTagBytes, tagFirst: transform === 'aes_gcm' };
  return {
    parameters,
    sender: new SrtpSender(createPacketCipher(suite, localKey, 'rtp'), tagBytes),
    receiver: new SrtpReceiver(createPacketCipher(suite, remoteKey, 'rtp'), tagBytes, startAt, onRollOver),
    rtcpSender: new SrtcpSender(createPacketCipher(suite, localKey, 'rtcp'), layout),
    rtcpReceiver: new SrtcpReceiver(createPacketCipher(suite, remoteKey, 'rtcp'), layout),
  };
}

function isSame(one: SrtpParameters, other: SrtpParameters): boolean {
  return one.suite === other.suite && isEqual(one.localKey, other.localKey) && isEqual(one.remoteKey, other.remoteKey);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
