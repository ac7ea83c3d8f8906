import type { PlaybackSource, SessionKey } from '../worker-channel/media-worker-messages.ts';
import { AudioRelay, type ReplacementAudio } from './audio-relay.ts';
import { Ringback } from './ringback.ts';

/** The part of an `RtpSession` that a bridge uses. */
export interface BridgedSession {
  /** Both directions of the session use a wideband codec. */
  readonly isWideband: boolean;
  /** Replaces the agent's audio toward the session's peer. Null ends the replacement. */
  playFrom(source: ReplacementAudio | null): void;
  /** Copies the peer's audio and DTMF digits to the relay. Null ends the copying. */
  relayTo(relay: AudioRelay | null): void;
  sendDtmf(digits: string): void;
}

/** One direction of a bridge: the listener's peer hears the source's peer. */
interface BridgeDirection {
  readonly listener: SessionKey;
  readonly source: SessionKey;
  /** Null until both sessions are open. */
  relay: AudioRelay | null;
}

/**
 * The bridges between the sessions of one worker. After a restore the source may open later than its listener: they
 * are connected once both are open.
 */
export class AudioBridges {
  readonly #directions = new Map<number, BridgeDirection>();
  /** The open session of a key; null while its ports are being bound and after its end. */
  readonly #sessionOf: (key: SessionKey) => BridgedSession | null;

  constructor(sessionOf: (key: SessionKey) => BridgedSession | null) {
    this.#sessionOf = sessionOf;
  }

  /** Chooses the audio that the listener's peer hears from now on. */
  setPlaybackSource(listener: SessionKey, source: PlaybackSource): void {
    this.#disconnect(listener.slot);
    this.#sessionOf(listener)?.playFrom(source === 'ringback' ? new Ringback() : null);
    if (typeof source === 'string') return;
    const direction = { listener, source, relay: null };
    this.#directions.set(listener.slot, direction);
    this.#connect(direction);
  }

  /** Connects the bridges that wait for this session. */
  sessionOpened(key: SessionKey): void {
    for (const direction of this.#directionsOf(key.slot)) this.#connect(direction);
  }

  /** The codec may have changed: connects again if the codec changes the bridge's rate. */
  sessionConfigured(slot: number): void {
    for (const direction of this.#directionsOf(slot))
      if (direction.relay?.rateHz !== this.#rateHz(direction)) this.#connect(direction);
  }

  /** The listener of the closed session hears silence. */
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
