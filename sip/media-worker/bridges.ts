import type { Leg } from './leg.ts';
import { Relay } from './relay.ts';
import { Ringback } from './ringback.ts';
import type { CallKey, HearSource } from './worker-message.ts';

interface Hearing {
  readonly listener: CallKey;
  readonly source: HearSource;
}

/**
 * Who hears whom in this worker, beside the agents. A leg that is to be heard may be seated later than its listener, as
 * after a worker's death: they are joined once both are there.
 */
export class Bridges {
  private readonly hearings = new Map<number, Hearing>();
  /** The leg of that call; null while its ports are being bound, or where it is gone. */
  private readonly legOf: (key: CallKey) => Leg | null;

  constructor(legOf: (key: CallKey) => Leg | null) {
    this.legOf = legOf;
  }

  /** From now on the listener's peer is sent that. */
  hear(listener: CallKey, source: HearSource): void {
    this.part(listener.slot);
    this.legOf(listener)?.playFrom(source === 'ringback' ? new Ringback() : null);
    if (typeof source === 'string') return;
    this.hearings.set(listener.slot, { listener, source });
    this.join(listener, source);
  }

  /** A leg is there: those that wait for it, and whom it waits for. */
  seated(key: CallKey): void {
    for (const { listener, source } of this.hearings.values()) {
      if (typeof source === 'string') continue;
      if (source.slot === key.slot || listener.slot === key.slot) this.join(listener, source);
    }
  }

  /** The leg is gone. Who heard it hears silence. */
  closed(slot: number): void {
    this.part(slot);
  }

  private join(listener: CallKey, source: CallKey): void {
    const to = this.legOf(listener);
    const from = this.legOf(source);
    if (to === null || from === null) return;
    const relay = new Relay((digit) => this.legOf(listener)?.sendDtmf(digit));
    from.relayTo(relay);
    to.playFrom(relay);
  }

  private part(slot: number): void {
    const hearing = this.hearings.get(slot);
    this.hearings.delete(slot);
    if (hearing !== undefined && typeof hearing.source !== 'string') this.legOf(hearing.source)?.relayTo(null);
  }
}
