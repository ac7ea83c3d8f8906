import { type Endpoint, pcapRecord } from './pcap.ts';

/** Records are sent to the main thread in pieces of this size, about a second of a call, never one per packet. */
const PIECE_BYTES = 32 * 1024;

/** Copies the RTP and RTCP packets of a call as capture records. Exists only during a capture. */
export class PacketCapture {
  readonly #local: Endpoint;
  readonly #wallMs: () => number;
  readonly #onRecords: (records: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  /**
   * @param local our RTP address and port as the peer knows them
   * @param onRecords receives consecutive records
   */
  constructor(local: Endpoint, wallMs: () => number, onRecords: (records: Uint8Array) => void) {
    this.#local = local;
    this.#wallMs = wallMs;
    this.#onRecords = onRecords;
  }

  /** @param localPort our port, if it is not the RTP port: unmultiplexed RTCP has its own */
  received(peer: Endpoint, packet: Uint8Array, localPort = this.#local.port): void {
    this.#add(pcapRecord(this.#wallMs(), peer, { ...this.#local, port: localPort }, packet));
  }

  sent(peer: Endpoint, packet: Uint8Array, localPort = this.#local.port): void {
    this.#add(pcapRecord(this.#wallMs(), { ...this.#local, port: localPort }, peer, packet));
  }

  /** Passes the records so far to `onRecords`. */
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
    this.#onRecords(piece);
  }

  #add(record: Uint8Array): void {
    this.#waiting.push(record);
    this.#bytes += record.length;
    if (this.#bytes >= PIECE_BYTES) this.flush();
  }
}
