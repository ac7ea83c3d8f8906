import { PacketBuffer } from '../packet/packet-buffer.ts';
import { createRtpPacket, decodeRtpHeader } from '../packet/rtp-packet.ts';
import type { PacketCipher } from './packet-cipher.ts';
import { ReplayWindow } from './replay-window.ts';
import { SRTP_GROWTH_BYTES_MAX } from './srtp-suite.ts';

const SEQUENCE_MODULUS = 0x10000;
const HALF_SEQUENCE = 0x8000;
/** The longest packet of an Ethernet frame. */
const PACKET_BYTES_MAX = 1500;
/** Sources per direction. Beyond this number the oldest is forgotten. */
const SOURCES_MAX = 4;

/**
 * Our direction: protects RTP packets of one SSRC, whose sequence numbers rise by one. A key lasts for 2^48 packets (RFC
 * 3711 §9.2), 178,000 years at 50 packets a second.
 */
export class SrtpSender {
  readonly #cipher: PacketCipher;
  readonly #tagBytes: number;
  readonly #packet = createRtpPacket();
  readonly #buffer = new PacketBuffer(PACKET_BYTES_MAX + SRTP_GROWTH_BYTES_MAX);
  #rollOver = 0;
  #lastSequence = -1;

  constructor(cipher: PacketCipher, tagBytes: number) {
    this.#cipher = cipher;
    this.#tagBytes = tagBytes;
  }

  /** The protected packet, valid until the next call; null if `plain` is not an RTP packet. */
  protect(plain: Uint8Array): Uint8Array | null {
    const packet = this.#packet;
    const buffer = this.#buffer;
    const tagBytes = this.#tagBytes;
    const headerBytes = plain.length > PACKET_BYTES_MAX ? 0 : decodeRtpHeader(plain, plain.length, packet);
    if (headerBytes === 0) return null;
    if (this.#lastSequence >= 0 && packet.sequence < this.#lastSequence) this.#rollOver = (this.#rollOver + 1) >>> 0;
    this.#lastSequence = packet.sequence;
    const index = this.#rollOver * SEQUENCE_MODULUS + packet.sequence;
    const { bytes } = buffer;
    bytes.set(plain);
    this.#cipher.seal(bytes, headerBytes, plain.length, packet.ssrc, index, this.#rollOver, plain.length);
    return buffer.view(plain.length + tagBytes);
  }
}

/** The state of one authenticated source of the peer. */
interface Source {
  rollOver: number;
  /** Sequence number of the packet with the highest index. */
  sequence: number;
  readonly window: ReplayWindow;
}

/** The peer's direction: authenticates and decrypts in place. Packets may be late, duplicated, lost or replayed. */
export class SrtpReceiver {
  /** Packets that were not authentic. */
  forged = 0;
  /** Packets that were duplicates or older than the replay window. */
  replayed = 0;
  readonly #cipher: PacketCipher;
  readonly #tagBytes: number;
  readonly #packet = createRtpPacket();
  readonly #sources = new Map<number, Source>();
  readonly #firstCounters: readonly number[];
  readonly #onRollOver: (rollOver: number) => void;

  /**
   * @param startAt the roll-over counter of an earlier receiver of the same call; null: none. The counter may have risen
   * by one since then
   * @param onRollOver called at a source's first packet, and when its counter rises
   */
  constructor(
    cipher: PacketCipher,
    tagBytes: number,
    startAt: number | null = null,
    onRollOver: (rollOver: number) => void = () => undefined,
  ) {
    this.#cipher = cipher;
    this.#tagBytes = tagBytes;
    this.#firstCounters = startAt === null ? [0] : [...new Set([startAt, startAt + 1, 0])];
    this.#onRollOver = onRollOver;
  }

  /** Decrypts in place. Returns the length of the plain packet; 0 if it is not authentic. */
  unprotect(bytes: Uint8Array): number {
    const packet = this.#packet;
    const tagBytes = this.#tagBytes;
    const length = bytes.length - tagBytes;
    const headerBytes = bytes.length > PACKET_BYTES_MAX ? 0 : decodeRtpHeader(bytes, length, packet);
    if (headerBytes === 0) return 0;
    const source = this.#sources.get(packet.ssrc);
    if (source === undefined) return this.#unprotectNewSource(bytes, headerBytes, length);
    const rollOver = guessRollOver(source, packet.sequence);
    const index = rollOver * SEQUENCE_MODULUS + packet.sequence;
    if (rollOver < 0 || !source.window.allows(index)) {
      this.replayed++;
      return 0;
    }
    if (!this.#cipher.open(bytes, headerBytes, length, packet.ssrc, index, rollOver, length)) {
      this.forged++;
      return 0;
    }
    source.window.take(index);
    if (index > source.rollOver * SEQUENCE_MODULUS + source.sequence) {
      if (rollOver !== source.rollOver) this.#onRollOver(rollOver);
      source.rollOver = rollOver;
      source.sequence = packet.sequence;
    }
    return length;
  }

  #unprotectNewSource(bytes: Uint8Array, headerBytes: number, length: number): number {
    const { ssrc, sequence } = this.#packet;
    for (const rollOver of this.#firstCounters) {
      const index = rollOver * SEQUENCE_MODULUS + sequence;
      if (!this.#cipher.open(bytes, headerBytes, length, ssrc, index, rollOver, length)) continue;
      const [oldest] = this.#sources.keys();
      if (this.#sources.size >= SOURCES_MAX && oldest !== undefined) this.#sources.delete(oldest);
      const source = { rollOver, sequence, window: new ReplayWindow() };
      source.window.take(index);
      this.#sources.set(ssrc, source);
      this.#onRollOver(rollOver);
      return length;
    }
    this.forged++;
    return 0;
  }
}

/** The most likely roll-over counter of a sequence number (RFC 3711 §3.3.1, appendix A); −1: before the first packet. */
function guessRollOver(source: Source, sequence: number): number {
  const ahead = sequence - source.sequence;
  if (source.sequence < HALF_SEQUENCE) return ahead > HALF_SEQUENCE ? source.rollOver - 1 : source.rollOver;
  return source.sequence - HALF_SEQUENCE > sequence ? source.rollOver + 1 : source.rollOver;
}
