import { CALL_HZ } from './call-format.ts';

/** The longest frame that the service takes, ms. */
const FRAME_MS = 100;
const BYTES_PER_SAMPLE = 2;

/** A typed call: the service gets silence, and the agent's audio is not played. */
export class SilentPath {
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(onFrame: (frame: ArrayBuffer) => void) {
    const bytes = ((CALL_HZ * FRAME_MS) / 1_000) * BYTES_PER_SAMPLE;
    this.#timer = setInterval(() => onFrame(new ArrayBuffer(bytes)), FRAME_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
