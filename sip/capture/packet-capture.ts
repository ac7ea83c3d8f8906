import { type Endpoint, pcapRecord } from './pcap.ts';

/** Packets travel to the main thread in pieces of this size, a second of a call or so: never one a message. */
const PIECE_BYTES = 32 * 1024;

/** Copies the packets of a call, RTP and RTCP, as records of a capture. There is one only while somebody wants it. */
export class PacketCapture {
  readonly #local: Endpoint;
  readonly #wallMs: () => number;
  readonly #hand: (records: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  /** `local`: our RTP address and port, as the peer knows them; RTCP has a port of its own where it is not muxed. `hand` is given records one behind another. */
  constructor(local: Endpoint, wallMs: () => number, hand: (records: Uint8Array) => void) {
    this.#local = local;
    this.#wallMs = wallMs;
    this.#hand = hand;
  }

  received(peer: Endpoint, packet: Uint8Array, localPort = this.#local.port): void {
    this.#add(pcapRecord(this.#wallMs(), peer, { ...this.#local, port: localPort }, packet));
  }

  sent(peer: Endpoint, packet: Uint8Array, localPort = this.#local.port): void {
    this.#add(pcapRecord(this.#wallMs(), { ...this.#local, port: localPort }, peer, packet));
  }

  /** Hands over what waits. */
  flush(): void {
    if (this.#bytes === 0) return;
    const piece = new Uint8Array(this.#bytes);
    let at = 0;
    for (const record of this.#waiting) {
      piece.set(record, at);
      at += record.length;
    }
    this.#waiting = [];
    this.#bytes = 0;
    this.#hand(piece);
  }

  #add(record: Uint8Array): void {
    this.#waiting.push(record);
    this.#bytes += record.length;
    if (this.#bytes >= PIECE_BYTES) this.flush();
  }
}
