import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { type AudioCodec, isWideband } from '../rtp/audio-codec.ts';
import type { RtpSession } from '../rtp/rtp-session.ts';
import { type MediaQuality, readQuality } from './leg-quality.ts';
import type { MediaLeg } from './media-plane.ts';
import { PlaneLeg, type PlaneLegOptions } from './plane-leg.ts';
import { ALAW_8K, LINEAR16_16K, MULAW_8K } from './uplink.ts';
import type { HearSource, Wire } from './worker-message.ts';

/** A phone call's media as the main thread holds it. */
export class RtpPlaneLeg extends PlaneLeg implements MediaLeg {
  port = 0;
  private session: RtpSession | null = null;
  private source: HearSource = 'agent';
  private onHeard = () => {};
  private onCaptured: ((records: Uint8Array) => void) | null = null;
  private capturedAs: string | null = null;

  constructor(options: PlaneLegOptions, codec: AudioCodec) {
    super(options, formatOf(codec));
  }

  get quality(): MediaQuality | null {
    return readQuality(this.memory.quality);
  }

  configure(session: RtpSession): void {
    this.session = session;
    this.order({ type: 'configure', ...this.key, session });
  }

  onPeerHeard(listener: () => void): void {
    this.onHeard = listener;
  }

  hear(source: 'agent' | 'ringback' | MediaLeg): void {
    if (typeof source === 'string') this.source = source;
    else if (source instanceof RtpPlaneLeg) this.source = source.key;
    else throw new TypeError('a leg of another plane cannot be heard');
    this.order({ type: 'hear', ...this.key, source: this.source });
  }

  pressed(digit: string, durationMs: number): void {
    this.order({ type: 'key', ...this.key, digit, durationMs });
  }

  capture(localAddress: string | null, hand: (records: Uint8Array) => void): void {
    this.onCaptured = hand;
    this.capturedAs = localAddress;
    this.order({ type: 'capture', ...this.key, localAddress });
  }

  /** Of the worker. */
  peerHeard(): void {
    this.onHeard();
  }

  /** Of the worker. */
  captured(records: Uint8Array): void {
    this.onCaptured?.(records);
  }

  protected override get wire(): Wire {
    return { type: 'rtp', port: this.port };
  }

  protected override beginAgain(): void {
    if (this.session !== null) this.order({ type: 'configure', ...this.key, session: this.session });
    if (this.source !== 'agent') this.order({ type: 'hear', ...this.key, source: this.source });
    if (this.capturedAs !== null) this.order({ type: 'capture', ...this.key, localAddress: this.capturedAs });
  }
}

function formatOf(codec: AudioCodec): AudioFormat {
  if (isWideband(codec)) return LINEAR16_16K;
  return codec === 'pcma' ? ALAW_8K : MULAW_8K;
}
