import { createPacketCipher } from '../../rtp/srtp/create-cipher.ts';
import { type SrtcpLayout, SrtcpReceiver, SrtcpSender } from '../../rtp/srtp/srtcp-stream.ts';
import { SrtpReceiver, SrtpSender } from '../../rtp/srtp/srtp-stream.ts';
import { SRTP_SUITES, type SrtpParameters, type SrtpSuite } from '../../rtp/srtp/srtp-suite.ts';
import { ROLL_OVER } from '../worker-channel/session-memory.ts';

/** Our direction of a call, for the lifetime of a key. */
interface Sending {
  readonly suite: SrtpSuite;
  readonly key: Uint8Array;
  readonly rtp: SrtpSender;
  readonly rtcp: SrtcpSender;
}

/** The peer's direction of a call, for the lifetime of a key. */
interface Receiving {
  readonly suite: SrtpSuite;
  readonly key: Uint8Array;
  readonly rtp: SrtpReceiver;
  readonly rtcp: SrtcpReceiver;
}

/**
 * SRTP of one call. Without keys, packets pass unchanged. With keys, no plain packet is sent or accepted. The roll-over
 * counter of the peer's stream is in the call's shared memory, since packets do not contain it. So another worker can
 * continue after 65,536 packets.
 *
 * Each direction has its own key. A new key for one direction must not restart the other: with the same key, its key
 * stream would be reused (RFC 3711 §9.1).
 */
export class SrtpSession {
  readonly #control: Int32Array;
  #isOn = false;
  /** Kept while media is plain, since the same keys may return. */
  #sending: Sending | null = null;
  #receiving: Receiving | null = null;

  constructor(control: Int32Array) {
    this.#control = control;
  }

  /** Sets the keys. The same keys change nothing. Throws a RangeError for keys whose length does not fit the suite. */
  configure(parameters: SrtpParameters | undefined): void {
    if (parameters === undefined) {
      this.#isOn = false;
      return;
    }
    const { suite, localKey, remoteKey } = parameters;
    if (!hasKey(this.#sending, suite, localKey)) this.#sending = createSending(suite, localKey);
    if (!hasKey(this.#receiving, suite, remoteKey)) this.#receiving = this.#createReceiving(suite, remoteKey);
    this.#isOn = true;
  }

  /** The bytes to send instead of the packet, valid until the next call; null if nothing may be sent. */
  protect(packet: Uint8Array): Uint8Array | null {
    return this.#sending === null || !this.#isOn ? packet : this.#sending.rtp.protect(packet);
  }

  /** The plain packet, decrypted in place; null if it is not authentic, or was received before. */
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
    // A new key starts a new stream, with a new counter.
    if (this.#receiving !== null) this.#control[ROLL_OVER] = 0;
    // Non-zero only for a call of an earlier worker.
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

function hasKey(direction: Sending | Receiving | null, suite: SrtpSuite, key: Uint8Array): boolean {
  return direction !== null && direction.suite === suite && isEqual(direction.key, key);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
