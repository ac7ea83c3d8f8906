import type { PlaybackSource, SessionKey } from '../worker-channel/worker-messages.ts';
import { type PlayedSource, Relay } from './relay.ts';
import { Ringback } from './ringback.ts';

/** What a bridge needs of an RTP leg. */
export interface BridgedLeg {
  /** Both directions of the leg use a wideband codec. */
  readonly isWideband: boolean;
  /** Replaces the agent's audio toward the leg's peer; null: the agent's audio again. */
  playFrom(source: PlayedSource | null): void;
  /** Where the peer's audio and DTMF digits go in addition; null: nowhere. */
  relayTo(relay: Relay | null): void;
  sendDtmf(digits: string): void;
}

interface Hearing {
  readonly listener: SessionKey;
  readonly source: SessionKey;
  /** Null until both legs exist. */
  relay: Relay | null;
}

/**
 * Which leg hears which in this worker. After a restore the source leg may open later than its listener: they are
 * joined once both exist.
 */
export class Bridges {
  readonly #hearings = new Map<number, Hearing>();
  /** The leg of a session; null while its ports are being bound and after its end. */
  readonly #legOf: (key: SessionKey) => BridgedLeg | null;

  constructor(legOf: (key: SessionKey) => BridgedLeg | null) {
    this.#legOf = legOf;
  }

  /** From now on the listener's peer is sent that. */
  hear(listener: SessionKey, source: PlaybackSource): void {
    this.#part(listener.slot);
    this.#legOf(listener)?.playFrom(source === 'ringback' ? new Ringback() : null);
    if (typeof source === 'string') return;
    const hearing = { listener, source, relay: null };
    this.#hearings.set(listener.slot, hearing);
    this.#join(hearing);
  }

  /** A leg opened: joins the bridges that wait for it. */
  seated(key: SessionKey): void {
    for (const hearing of this.#of(key.slot)) this.#join(hearing);
  }

  /** The codec may have changed: joins again where the bridge's rate changes with it. */
  configured(slot: number): void {
    for (const hearing of this.#of(slot)) if (hearing.relay?.rateHz !== this.#rateHz(hearing)) this.#join(hearing);
  }

  /** The leg closed. Its listener hears silence. */
  closed(slot: number): void {
    this.#part(slot);
  }

  #of(slot: number): Hearing[] {
    return [...this.#hearings.values()].filter(
      ({ listener, source }) => listener.slot === slot || source.slot === slot,
    );
  }

  #join(hearing: Hearing): void {
    const { listener, source } = hearing;
    const to = this.#legOf(listener);
    const from = this.#legOf(source);
    if (to === null || from === null) return;
    hearing.relay = new Relay(this.#rateHz(hearing), (digit) => this.#legOf(listener)?.sendDtmf(digit));
    from.relayTo(hearing.relay);
    to.playFrom(hearing.relay);
  }

  #rateHz({ listener, source }: Hearing): 8_000 | 16_000 {
    return this.#legOf(listener)?.isWideband && this.#legOf(source)?.isWideband ? 16_000 : 8_000;
  }

  #part(slot: number): void {
    const hearing = this.#hearings.get(slot);
    this.#hearings.delete(slot);
    if (hearing !== undefined) this.#legOf(hearing.source)?.relayTo(null);
  }
}
