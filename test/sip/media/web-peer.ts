import type { WebMediaSession } from '../../../sip/media/media-service.ts';
import { Watchers } from '../../watchers.ts';

const FRAME_BYTES = 640;

/** The client of a web call: takes every frame at once, unless it is paused. */
export class WebPeer {
  readonly frames: Uint8Array[] = [];
  /** False: nothing is taken, as by a browser that is slow. */
  takes = true;
  /** How many frames had been taken at each `onClear`. */
  readonly clears: number[] = [];
  readonly #leg: WebMediaSession;
  readonly #watchers = new Watchers();

  constructor(leg: WebMediaSession) {
    this.#leg = leg;
    leg.channel.onAgentAudio(() => this.pump());
    leg.channel.onClear(() => this.clears.push(this.frames.length));
    leg.channel.connected = true;
  }

  pump(): void {
    while (this.takes) {
      const frame = this.#leg.channel.next();
      if (frame === null) break;
      this.frames.push(frame);
    }
    this.#watchers.look();
  }

  heard(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.frames));
  }

  until(holds: () => boolean): Promise<void> {
    return this.#watchers.until(holds);
  }

  /** A frame with each frame that comes: both are 20 ms. */
  async say(audio: Uint8Array): Promise<void> {
    for (let at = 0; at < audio.length; at += FRAME_BYTES) {
      const next = this.frames.length + 1;
      this.#leg.channel.write(audio.subarray(at, at + FRAME_BYTES));
      await this.until(() => this.frames.length >= next);
    }
  }
}
