import { createPacketCipher } from '../../rtp/srtp/create-cipher.ts';
import { type SrtcpLayout, SrtcpReceiver, SrtcpSender } from '../../rtp/srtp/srtcp-stream.ts';
import { SrtpReceiver, SrtpSender } from '../../rtp/srtp/srtp-stream.ts';
import { SRTP_SUITES, type SrtpParameters, type SrtpSuite } from '../../rtp/srtp/srtp-suite.ts';
import { ROLL_OVER } from '../worker-channel/session-memory.ts';

/** One direction of a call, as long as its key lasts. */
interface Sending {
  readonly suite: SrtpSuite;
  readonly key: Uint8Array;
  readonly rtp: SrtpSender;
  readonly rtcp: SrtcpSender;
}

interface Receiving {
  readonly suite: SrtpSuite;
  readonly key: Uint8Array;
  readonly rtp: SrtpReceiver;
  readonly rtcp: SrtcpReceiver;
}

/**
 * SRTP of one call, or none: then packets pass unchanged. With keys, no plain packet is sent or accepted. The roll-over
 * counter of the peer's stream is in the call's shared memory, since packets do not carry it: so another worker can
 * continue after 65,536 packets.
 *
 * Each direction has its own key, and a new key of one leaves the other as it was: restarting with the same key would
 * reuse its key stream (RFC 3711 §9.1).
 */
export class SrtpSession {
  readonly #control: Int32Array;
  #isOn = false;
  /** Kept while media is plain: the same keys may return. */
  #sending: Sending | null = null;
  #receiving: Receiving | null = null;

  constructor(control: Int32Array) {
    this.#control = control;
  }

  /** Sets a session's keys; the same keys change nothing. Throws a RangeError for keys that do not fit the suite. */
  configure(parameters: SrtpParameters | undefined): void {
    if (parameters === undefined) {
      this.#isOn = false;
      return;
    }
    const { suite, localKey, remoteKey } = parameters;
    if (!isOf(this.#sending, suite, localKey)) this.#sending = createSending(suite, localKey);
    if (!isOf(this.#receiving, suite, remoteKey)) this.#receiving = this.#createReceiving(suite, remoteKey);
    this.#isOn = true;
  }

  /** The bytes to send instead of the packet, valid until the next one; null where none may be sent. */
  protect(packet: Uint8Array): Uint8Array | null {
    return this.#sending === null || !this.#isOn ? packet : this.#sending.rtp.protect(packet);
  }

  /** The plain packet, decrypted in place; null where it is not authentic, or was received before. */
  unprotect(packet: Uint8Array): Uint8Array | null {
    if (this.#receiving === null || !this.#isOn) return packet;
    const length = this.#receiving.rtp.unprotect(packet);
    return length === 0 ? null : packet.subarray(0, length);
  }

  protectRtcp(packet: Uint8Array): Uint8Array {
    return this.#sending === null || !this.#isOn ? packet : this.#sending.rtcp.protect(packet);
  }

  unprotectRtcp(packet: Uint8Array): Uint8Array | null {
    if (this.#receiving === null || !this.#isOn) return packet;
    const length = this.#receiving.rtcp.unprotect(packet);
    return length === 0 ? null : packet.subarray(0, length);
  }

  #createReceiving(suite: SrtpSuite, key: Uint8Array): Receiving {
    // With another key, the counter would be another stream's.
    if (this.#receiving !== null) this.#control[ROLL_OVER] = 0;
    // Non-zero only for a call that an earlier worker held.
    const known = (this.#control[ROLL_OVER] ?? 0) >>> 0;
    const onRollOver = (rollOver: number) => {
      this.#control[ROLL_OVER] = rollOver + 1;
    };
    const startAt = known === 0 ? null : known - 1;
    return {
      suite,
      key,
      rtp: new SrtpReceiver(createPacketCipher(suite, key, 'rtp'), SRTP_SUITES[suite].tagBytes, startAt, onRollOver),
      rtcp: new SrtcpReceiver(createPacketCipher(suite, key, 'rtcp'), rtcpLayout(suite)),
    };
  }
}

function createSending(suite: SrtpSuite, key: Uint8Array): Sending {
  return {
    suite,
    key,
    rtp: new SrtpSender(createPacketCipher(suite, key, 'rtp'), SRTP_SUITES[suite].tagBytes),
    rtcp: new SrtcpSender(createPacketCipher(suite, key, 'rtcp'), rtcpLayout(suite)),
  };
}

function rtcpLayout(suite: SrtpSuite): SrtcpLayout {
  const { rtcpTagBytes, transform } = SRTP_SUITES[suite];
  return { tagBytes: rtcpTagBytes, tagFirst: transform === 'aes_gcm' };
}

function isOf(way: Sending | Receiving | null, suite: SrtpSuite, key: Uint8Array): boolean {
  return way !== null && way.suite === suite && isEqual(way.key, key);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
