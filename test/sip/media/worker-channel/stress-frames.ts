export interface StressOptions {
  readonly capacity: number;
  readonly frames: number;
  /** The ring drops its oldest frames instead of refusing new ones. */
  readonly drop: boolean;
}

export interface StressTask extends StressOptions {
  readonly memory: SharedArrayBuffer;
  /** Word 0: 1 when the consumer starts; 2 when the producer has ended. */
  readonly gate: SharedArrayBuffer;
}

/** Length and bytes of a frame depend on its serial number, so that a mixture of two frames is detected. */
export function lengthOf(serial: number): number {
  return (serial * 7) % 211;
}
