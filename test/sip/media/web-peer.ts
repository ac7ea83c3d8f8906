import type { WebMediaSession } from '../../../sip/media/media-service.ts';
import { Watchers } from '../../watchers.ts';

const FRAME_BYTES = 640;

/** The browser of a web call. Reads every frame at once unless `readsFrames` is false. */
export class WebPeer {
  readonly frames: Uint8Array[] = [];
  /** False: reads no frames, like a slow browser. */
  readsFrames = true;
  /** Number of frames read before each `onClear`. */
  readonly clears: number[] = [];
  readonly #session: WebMediaSession;
  readonly #watchers = new Watchers();

  constructor(session: WebMediaSession) {
    this.#session = session;
    session.channel.onAgentAudio(() => this.pump());
    session.channel.onClear(() => this.clears.push(this.frames.length));
    session.channel.connected = true;
  }

  pump(): void {
    while (this.readsFrames) {
      const frame = this.#session.channel.next();
      if (frame === null) break;
      this.frames.push(frame);
    }
    this.#watchers.check();
  }

  heard(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.frames));
  }

  until(holds: () => boolean): Promise<void> {
    return this.#watchers.until(holds);
  }

  /** Sends one frame for each received frame: both are 20 ms. */
  async say(audio: Uint8Array): Promise<void> {
    for (let at = 0; at < audio.length; at += FRAME_BYTES) {
      const next = this.frames.length + 1;
      this.#session.channel.write(audio.subarray(at, at + FRAME_BYTES));
      await this.until(() => this.frames.length >= next);
    }
  }
}
