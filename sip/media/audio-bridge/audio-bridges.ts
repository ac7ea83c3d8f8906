import type { PlaybackSource, SessionKey } from '../worker-channel/media-worker-messages.ts';
import { AudioRelay, type ReplacementAudio } from './audio-relay.ts';
import { Ringback } from './ringback.ts';

/** What a bridge needs of an RTP leg. */
export interface BridgedSession {
  /** Both directions of the leg use a wideband codec. */
  readonly isWideband: boolean;
  /** Replaces the agent's audio toward the leg's peer; null: the agent's audio again. */
  playFrom(source: ReplacementAudio | null): void;
  /** Where the peer's audio and DTMF digits go in addition; null: nowhere. */
  relayTo(relay: AudioRelay | null): void;
  sendDtmf(digits: string): void;
}

interface BridgeDirection {
  readonly listener: SessionKey;
  readonly source: SessionKey;
  /** Null until both legs exist. */
  relay: AudioRelay | null;
}

/**
 * Which leg hears which in this worker. After a restore the source leg may open later than its listener: they are
 * joined once both exist.
 */
export class AudioBridges {
  readonly #directions = new Map<number, BridgeDirection>();
  /** The leg of a session; null while its ports are being bound and after its end. */
  readonly #sessionOf: (key: SessionKey) => BridgedSession | null;

  constructor(sessionOf: (key: SessionKey) => BridgedSession | null) {
    this.#sessionOf = sessionOf;
  }

  /** From now on the listener's peer is sent that. */
  setPlaybackSource(listener: SessionKey, source: PlaybackSource): void {
    this.#disconnect(listener.slot);
    this.#sessionOf(listener)?.playFrom(source === 'ringback' ? new Ringback() : null);
    if (typeof source === 'string') return;
    const direction = { listener, source, relay: null };
    this.#directions.set(listener.slot, direction);
    this.#connect(direction);
  }

  /** A leg opened: joins the bridges that wait for it. */
  sessionOpened(key: SessionKey): void {
    for (const direction of this.#directionsOf(key.slot)) this.#connect(direction);
  }

  /** The codec may have changed: joins again where the bridge's rate changes with it. */
  sessionConfigured(slot: number): void {
    for (const direction of this.#directionsOf(slot))
      if (direction.relay?.rateHz !== this.#rateHz(direction)) this.#connect(direction);
  }

  /** The leg closed. Its listener hears silence. */
  sessionClosed(slot: number): void {
    this.#disconnect(slot);
  }

  #directionsOf(slot: number): BridgeDirection[] {
    return [...this.#directions.values()].filter(
      ({ listener, source }) => listener.slot === slot || source.slot === slot,
    );
  }

  #connect(direction: BridgeDirection): void {
    const { listener, source } = direction;
    const to = this.#sessionOf(listener);
    const from = this.#sessionOf(source);
    if (to === null || from === null) return;
    direction.relay = new AudioRelay(this.#rateHz(direction), (digit) => this.#sessionOf(listener)?.sendDtmf(digit));
    from.relayTo(direction.relay);
    to.playFrom(direction.relay);
  }

  #rateHz({ listener, source }: BridgeDirection): 8_000 | 16_000 {
    return this.#sessionOf(listener)?.isWideband && this.#sessionOf(source)?.isWideband ? 16_000 : 8_000;
  }

  #disconnect(slot: number): void {
    const direction = this.#directions.get(slot);
    this.#directions.delete(slot);
    if (direction !== undefined) this.#sessionOf(direction.source)?.relayTo(null);
  }
}
