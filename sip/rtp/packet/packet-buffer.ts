/** The bytes of a packet, allocated once, and their views by length, each created at its first use. */
export class PacketBuffer {
  readonly bytes: Uint8Array;
  readonly #views: Uint8Array[] = [];

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** The first `length` bytes. */
  view(length: number): Uint8Array {
    let view = this.#views[length];
    if (view === undefined) {
      view = this.bytes.subarray(0, length);
      this.#views[length] = view;
    }
    return view;
  }
}
