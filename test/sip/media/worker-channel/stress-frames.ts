export interface HammerOptions {
  readonly capacity: number;
  readonly frames: number;
  /** The ring drops its oldest, instead of refusing. */
  readonly drop: boolean;
}

export interface HammerOrder extends HammerOptions {
  readonly memory: SharedArrayBuffer;
  /** Word 0: 1 when the consumer begins; 2 when the producer has ended. */
  readonly gate: SharedArrayBuffer;
}

/** The length and the bytes of a frame follow from its serial number, so that any mixture of two shows. */
export function lengthOf(serial: number): number {
  return (serial * 7) % 211;
}
