import type { MediaEvent } from '../../engine/ports/media.ts';
import { DtmfSender } from '../rtp/dtmf-sender.ts';
import { ALAW_SILENCE, MULAW_SILENCE } from '../rtp/g711.ts';
import { encodeRtpHeader, RTP_HEADER_BYTES } from '../rtp/rtp-packet.ts';
import type { RtpSession } from '../rtp/rtp-session.ts';
import { TELEPHONE_EVENT_BYTES } from '../rtp/telephone-event.ts';
import type { LegRecorder } from './leg-recorder.ts';
import type { Playout } from './playout.ts';
import type { PlayedSource } from './relay.ts';
import type { UdpEndpoint } from './udp-transport.ts';
import type { WorkerStatistics } from './worker-statistics.ts';

/** 20 ms at 8 kHz. */
export const PACKET_SAMPLES = 160;

/** A source that was not drawn from for a second has nothing left of it. */
const SKIPPED_MAX = 50;

export interface OutboundOptions {
  readonly endpoint: UdpEndpoint;
  readonly playout: Playout;
  readonly recorder: LegRecorder | null;
  readonly statistics: WorkerStatistics;
  readonly emit: (event: MediaEvent) => void;
  /** 32 random bits. */
  readonly random: () => number;
}

/**
 * The way of our packets: one a tick, from the playout queue, from a DTMF event, or silence. Sequence numbers rise by one
 * a packet and timestamps by 160 a tick, sent or not. The packet's bytes are allocated once.
 */
export class Outbound {
  sent = 0;
  readonly ssrc: number;
  /** RTP timestamp of the next packet. */
  timestamp: number;
  private sequence: number;
  /** The first packet after a pause of ours carries the marker (RFC 3551 §4.1). */
  private marker = true;
  private silence = MULAW_SILENCE;
  private alaw = false;
  /** What is sent in the place of the agent's audio; null: that. */
  source: PlayedSource | null = null;
  private readonly audio = new Uint8Array(RTP_HEADER_BYTES + PACKET_SAMPLES);
  private readonly event = new Uint8Array(RTP_HEADER_BYTES + TELEPHONE_EVENT_BYTES);
  private readonly dtmf = new DtmfSender();
  private readonly options: OutboundOptions;

  constructor(options: OutboundOptions) {
    this.options = options;
    this.ssrc = options.random();
    this.timestamp = options.random();
    this.sequence = options.random() & 0xffff;
  }

  configure(session: RtpSession): void {
    this.alaw = session.codec === 'pcma';
    this.silence = this.alaw ? ALAW_SILENCE : MULAW_SILENCE;
  }

  /** Sends this tick's packet. */
  tick(session: RtpSession): void {
    if (!sends(session)) {
      this.skip(1);
      return;
    }
    const { source } = this;
    // Drawn in each tick: what is not sent has passed all the same.
    source?.fill(this.audio, RTP_HEADER_BYTES, this.alaw);
    if (!this.dtmf.busy && source !== null) this.sendPacket(session.payloadType);
    else if (!this.dtmf.busy) this.sendAudio(session);
    else if (this.dtmf.next(this.timestamp) && session.dtmfPayloadType !== null) {
      this.sendEvent(session.dtmfPayloadType);
      this.options.recorder?.agentSilent(1);
    } else this.sendSilence(session);
    this.timestamp = (this.timestamp + PACKET_SAMPLES) >>> 0;
  }

  /** So many ticks pass without a packet: time goes on, what is queued waits. */
  skip(ticks: number): void {
    this.marker = true;
    this.timestamp = (this.timestamp + ticks * PACKET_SAMPLES) >>> 0;
    this.options.recorder?.agentSilent(ticks);
    if (this.source === null) return;
    for (let i = Math.min(ticks, SKIPPED_MAX); i > 0; i--) this.source.fill(this.audio, RTP_HEADER_BYTES, this.alaw);
  }

  /** Digits that do not fit behind those that wait (64) are lost. */
  sendDtmf(digits: string): void {
    this.dtmf.start(digits);
  }

  private sendAudio(session: RtpSession): void {
    const { audio, options } = this;
    const filled = options.playout.fill(audio, RTP_HEADER_BYTES, PACKET_SAMPLES);
    if (filled < PACKET_SAMPLES) {
      audio.fill(this.silence, RTP_HEADER_BYTES + filled);
      if (options.playout.starving) options.statistics.countUnderruns(1);
    }
    this.sendPacket(session.payloadType);
    options.playout.tellMarks(options.emit);
  }

  private sendSilence(session: RtpSession): void {
    this.audio.fill(this.silence, RTP_HEADER_BYTES);
    this.sendPacket(session.payloadType);
  }

  private sendPacket(payloadType: number): void {
    encodeRtpHeader(this.audio, payloadType, this.marker, this.sequence, this.timestamp, this.ssrc);
    this.count();
    this.options.endpoint.send(this.audio);
    this.options.recorder?.agent(this.audio, RTP_HEADER_BYTES);
  }

  private sendEvent(payloadType: number): void {
    const { dtmf, event } = this;
    encodeRtpHeader(event, payloadType, dtmf.marker, this.sequence, dtmf.timestamp, this.ssrc);
    event.set(dtmf.payload, RTP_HEADER_BYTES);
    this.count();
    this.options.endpoint.send(event);
  }

  /** Before the packet leaves, so that no peer has one that is not counted. */
  private count(): void {
    this.marker = false;
    this.sent++;
    this.options.statistics.countSent(1);
    this.sequence = (this.sequence + 1) & 0xffff;
  }
}

export function sends(session: RtpSession): boolean {
  return session.direction === 'sendrecv' || session.direction === 'sendonly';
}
