import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { parse } from 'sdp-transform';
import {
  ALAW_SILENCE,
  decodeAlaw,
  decodeMulaw,
  encodeAlaw,
  encodeMulaw,
  MULAW_SILENCE,
} from '../../base/audio/g711.ts';
import { joined } from '../../fixtures/sound/synthesis.ts';
import { DtmfReceiver } from '../../sip/rtp/dtmf/dtmf-receiver.ts';
import { DtmfSender } from '../../sip/rtp/dtmf/dtmf-sender.ts';
import { createTelephoneEvent, decodeTelephoneEvent } from '../../sip/rtp/dtmf/telephone-event.ts';
import { sequenceDistance, timestampDistance } from '../../sip/rtp/packet/sequence-arithmetic.ts';
import { RtpSource } from '../../sip/rtp/reception/rtp-source.ts';
import { type ReceivedPacket, RtpPeer } from './rtp-peer.ts';

export type Codec = 'pcmu' | 'pcma';

export interface RtpPeerReport {
  readonly sent: number;
  readonly received: number;
  /** Sequence numbers that were never received. */
  readonly lost: number;
  readonly reordered: number;
  /** Restarts of the stream after its first packet: a new SSRC, or a jump. */
  readonly restarts: number;
  /** Longest time between two packets, in ms; null with fewer than two. */
  readonly longestGapMs: number | null;
  /** Time from `start` to the first packet, in ms; negative for early media; null without one. */
  readonly firstPacketMs: number | null;
  readonly payloadTypes: readonly number[];
  readonly dtmf: string;
}

interface Remote {
  readonly port: number;
  readonly codec: Codec;
  readonly dtmfPayloadType: number | null;
}

const PAYLOAD_TYPES = { pcmu: 0, pcma: 8 } as const;
const DTMF_PAYLOAD_TYPE = 101;
const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const RATE_HZ = 8000;
/** Bound of the recording: an hour. */
const RECORDED_SAMPLES_MAX = 3600 * RATE_HZ;
const SILENCE = new Int16Array(FRAME_SAMPLES);

/**
 * Trigger of each packet. `clock`: an absolute clock; late packets are sent at once, so that their number is exact.
 * `peer`: each audio packet of the other side, so that both stall together and their audio keeps its order.
 */
export type Pace = 'clock' | 'peer';

/** An `RtpPeer` with a voice: sends samples at 8 kHz, then silence, and records the received audio at its RTP time. */
export class TalkingRtpPeer {
  readonly #peer: RtpPeer;
  readonly #host: string;
  readonly #source = new RtpSource(RATE_HZ);
  readonly #event = createTelephoneEvent();
  readonly #dtmfSender = new DtmfSender();
  readonly #dtmfReceiver: DtmfReceiver;
  #recorded = new Int16Array(RATE_HZ);
  #recordedLength = 0;
  /** Audio of the packets alone, without the holes that skipped packets leave in the recording. */
  readonly #played: Int16Array[] = [];
  /** Position of the RTP time `originTimestamp` in the recording. */
  #origin = 0;
  #originTimestamp = 0;
  #remote: Remote | null = null;
  #timer: NodeJS.Timeout | null = null;
  #onPeerPacket = () => {};
  readonly #actions: { readonly atMs: number; readonly act: () => void }[] = [];
  #startedMs: number | null = null;
  #firstMs: number | null = null;
  #lastMs: number | null = null;
  #longestGapMs: number | null = null;
  #sent = 0;
  #received = 0;
  #lost = 0;
  #reordered = 0;
  #highest = 0;
  #dtmf = '';
  readonly #payloadTypes = new Set<number>();

  private constructor(peer: RtpPeer, host: string) {
    this.#peer = peer;
    peer.ssrc = randomBytes(4).readUInt32BE();
    peer.sequence = randomBytes(2).readUInt16BE();
    peer.timestamp = randomBytes(4).readUInt32BE();
    this.#host = host;
    this.#dtmfReceiver = new DtmfReceiver(RATE_HZ, (digit) => {
      this.#dtmf += digit;
    });
    peer.onPacket = (packet) => this.#receive(packet, performance.now());
  }

  static async open(localAddress: string): Promise<TalkingRtpPeer> {
    return new TalkingRtpPeer(await RtpPeer.openOnFreePort(localAddress), localAddress);
  }

  /** An SDP offer of these codecs in this order, with telephone-event. */
  offer(codecs: readonly Codec[]): string {
    const version = isIPv6(this.#host) ? 'IP6' : 'IP4';
    const types = [...codecs.map((codec) => PAYLOAD_TYPES[codec]), DTMF_PAYLOAD_TYPE];
    return [
      'v=0',
      `o=- 1 1 IN ${version} ${this.#host}`,
      's=-',
      `c=IN ${version} ${this.#host}`,
      't=0 0',
      `m=audio ${this.#peer.port} RTP/AVP ${types.join(' ')}`,
      ...codecs.map((codec) => `a=rtpmap:${PAYLOAD_TYPES[codec]} ${codec.toUpperCase()}/8000`),
      `a=rtpmap:${DTMF_PAYLOAD_TYPE} telephone-event/8000`,
      `a=fmtp:${DTMF_PAYLOAD_TYPE} 0-15`,
      'a=ptime:20',
      'a=sendrecv',
      '',
    ].join('\r\n');
  }

  /** Takes the SDP answer; false if it has no codec of our offer. */
  take(answer: string): boolean {
    const { media, connection } = parse(answer);
    const audio = media.find(({ type, port }) => type === 'audio' && port > 0);
    const host = audio?.connection?.ip ?? connection?.ip;
    if (audio === undefined || host === undefined) return false;
    const types = (audio.payloads ?? '').split(' ').map(Number);
    const first = types.find((type) => type === PAYLOAD_TYPES.pcmu || type === PAYLOAD_TYPES.pcma);
    if (first === undefined) return false;
    const dtmf = audio.rtp.find(({ codec }) => codec.toLowerCase() === 'telephone-event');
    const codec = first === PAYLOAD_TYPES.pcmu ? 'pcmu' : 'pcma';
    this.#peer.remoteHost = host;
    this.#remote = { port: audio.port, codec, dtmfPayloadType: dtmf?.payload ?? null };
    return true;
  }

  /** Sends `audio` from now on; `onAudioEnd` is called when its last packet has left. */
  start(audio: Int16Array, onAudioEnd: () => void, pace: Pace = 'clock'): void {
    const startMs = performance.now();
    const frames = Math.ceil(audio.length / FRAME_SAMPLES);
    this.#startedMs = startMs;
    const next = () => {
      const at = this.#sent * FRAME_SAMPLES;
      this.#send(this.#sent < frames ? audio.subarray(at, at + FRAME_SAMPLES) : SILENCE);
      if (this.#sent === frames) onAudioEnd();
      for (const { atMs, act } of this.#actions) if (Math.max(1, Math.ceil(atMs / FRAME_MS)) === this.#sent) act();
    };
    const run = () => {
      while (pace === 'clock' && startMs + this.#sent * FRAME_MS <= performance.now()) next();
      this.#dtmfReceiver.tick(performance.now());
      const waitMs = pace === 'clock' ? startMs + this.#sent * FRAME_MS - performance.now() : FRAME_MS;
      this.#timer = setTimeout(run, Math.max(0, waitMs));
    };
    if (pace === 'peer') this.#onPeerPacket = next;
    run();
  }

  /** Calls `act` after this many ms of sent packets. Call before `start`. */
  after(atMs: number, act: () => void): void {
    this.#actions.push({ atMs, act });
  }

  sendDtmf(digits: string): void {
    this.#dtmfSender.start(digits);
  }

  /** The audio heard so far, 8 kHz. */
  heard(): Int16Array {
    return this.#recorded.slice(0, this.#recordedLength);
  }

  /** The audio of the packets so far, 8 kHz, without the time for which a stalled sender sent none. */
  heardWithoutHoles(): Int16Array {
    return joined(this.#played);
  }

  report(): RtpPeerReport {
    const sent = this.#sent;
    const received = this.#received;
    const lost = this.#lost;
    const reordered = this.#reordered;
    const longestGapMs = this.#longestGapMs;
    const dtmf = this.#dtmf;
    const first = this.#firstMs === null || this.#startedMs === null ? null : this.#firstMs - this.#startedMs;
    return {
      sent,
      received,
      lost,
      reordered,
      restarts: this.#source.restarts,
      longestGapMs,
      firstPacketMs: first,
      payloadTypes: [...this.#payloadTypes],
      dtmf,
    };
  }

  /** Stops sending and closes the port. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#onPeerPacket = () => {};
    this.#dtmfReceiver.reset();
    this.#peer.close();
  }

  #send(samples: Int16Array): void {
    const remote = this.#remote;
    const peer = this.#peer;
    if (remote === null) return;
    const next = (peer.timestamp + FRAME_SAMPLES) >>> 0;
    if (remote.dtmfPayloadType !== null && this.#dtmfSender.next(peer.timestamp)) {
      const { marker, timestamp, payload } = this.#dtmfSender;
      void peer.send(remote.port, payload, remote.dtmfPayloadType, marker, timestamp);
    } else {
      const codes = new Uint8Array(FRAME_SAMPLES).fill(remote.codec === 'pcmu' ? MULAW_SILENCE : ALAW_SILENCE);
      const encode = remote.codec === 'pcmu' ? encodeMulaw : encodeAlaw;
      encode(samples, 0, samples.length, codes);
      void peer.send(remote.port, codes, PAYLOAD_TYPES[remote.codec], this.#sent === 0);
    }
    peer.timestamp = next;
    this.#sent++;
  }

  #receive(packet: ReceivedPacket, nowMs: number): void {
    const { payloadType, payload } = packet;
    const verdict = this.#source.receive(packet, nowMs);
    if (verdict === 'dropped') return;
    this.#count(packet, verdict === 'restarted', nowMs);
    if (payloadType === DTMF_PAYLOAD_TYPE) {
      const ok = decodeTelephoneEvent(payload, 0, payload.length, this.#event);
      if (ok) this.#dtmfReceiver.receive(this.#event, packet.timestamp, nowMs);
    } else if (payloadType === PAYLOAD_TYPES.pcmu || payloadType === PAYLOAD_TYPES.pcma) {
      this.#record(packet);
      this.#onPeerPacket();
    }
  }

  #count({ sequence, timestamp, payloadType }: ReceivedPacket, restarted: boolean, nowMs: number): void {
    this.#received++;
    this.#payloadTypes.add(payloadType);
    this.#firstMs ??= nowMs;
    if (this.#lastMs !== null) this.#longestGapMs = Math.max(this.#longestGapMs ?? 0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (restarted) {
      this.#origin = this.#recordedLength;
      this.#originTimestamp = timestamp;
      this.#highest = sequence;
      return;
    }
    const ahead = sequenceDistance(sequence, this.#highest);
    if (ahead > 0) {
      this.#lost += ahead - 1;
      this.#highest = sequence;
    } else if (ahead < 0) {
      this.#lost--;
      this.#reordered++;
    }
  }

  #record({ payload, payloadType, timestamp }: ReceivedPacket): void {
    const at = this.#origin + timestampDistance(timestamp, this.#originTimestamp);
    const end = at + payload.length;
    if (at < 0 || end > RECORDED_SAMPLES_MAX) return;
    if (end > this.#recorded.length) {
      const larger = new Int16Array(Math.max(end, this.#recorded.length * 2));
      larger.set(this.#recorded);
      this.#recorded = larger;
    }
    const decode = payloadType === PAYLOAD_TYPES.pcmu ? decodeMulaw : decodeAlaw;
    decode(payload, 0, payload.length, this.#recorded, at);
    this.#played.push(this.#recorded.slice(at, end));
    this.#recordedLength = Math.max(this.#recordedLength, end);
  }
}
