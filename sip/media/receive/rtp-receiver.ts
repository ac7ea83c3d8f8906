import type { MediaEvent } from '../../../engine/ports/media.ts';
import { CODEC_TRAITS } from '../../rtp/codecs/audio-codec.ts';
import { DtmfDeduplicator } from '../../rtp/dtmf/dtmf-deduplicator.ts';
import { DtmfDetector } from '../../rtp/dtmf/dtmf-detector.ts';
import { DtmfReceiver } from '../../rtp/dtmf/dtmf-receiver.ts';
import { createTelephoneEvent, decodeTelephoneEvent } from '../../rtp/dtmf/telephone-event.ts';
import { COMFORT_NOISE_PAYLOAD_TYPE, comfortNoiseLevel } from '../../rtp/jitter-buffer/comfort-noise.ts';
import { createRtpPacket, decodeRtp } from '../../rtp/packet/rtp-packet.ts';
import {
  checkSource,
  createPeerAddressLatch,
  type LatchResult,
  openLatch,
} from '../../rtp/reception/peer-address-latch.ts';
import { ReorderWindow } from '../../rtp/reception/reorder-window.ts';
import { RtpSource } from '../../rtp/reception/rtp-source.ts';
import { ReceptionStatistics } from '../../rtp/rtcp/reception-statistics.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { AudioRelay } from '../audio-bridge/audio-relay.ts';
import { AudioEventDetector, SILENT_SOURCE_MS } from '../detection/audio-event-detector.ts';
import type { PlayedAudio } from '../detection/echo/played-audio.ts';
import type { VoiceClassifier } from '../detection/voice-activity.ts';
import type { CreateNoiseSuppressor } from './noise-suppressor.ts';
import { PeerAudio, type PeerAudioOptions } from './peer-audio.ts';

/** Of every codec except Opus. */
const CLOCK_RATE_HZ = 8000;

/** A number, so that the field stays an unboxed double. With null, each packet would allocate. */
export const NEVER = Number.NEGATIVE_INFINITY;

export interface RtpReceiverOptions
  extends Omit<PeerAudioOptions, 'hear' | 'hearSpeech' | 'skipSpeech' | 'silentMs' | 'isAgentHeard'> {
  readonly classifier: VoiceClassifier;
  readonly played: PlayedAudio;
  readonly emit: (event: MediaEvent) => void;
}

/**
 * Receives the peer's packets: latch, validation, order, then audio and DTMF. Input neither throws nor allocates.
 * Rejected packets are dropped and counted.
 */
export class RtpReceiver {
  /** Monotonic ms of the last accepted packet, `NEVER` before the first. */
  lastMs = NEVER;
  /** The same for packets of audio only: comfort noise and telephone events do not continue speech. */
  #lastAudioMs = NEVER;
  /** Ticks that the worker skipped since the last audio, in ms. Packets of that time may wait in the socket. */
  #skippedMs = 0;
  readonly latch = createPeerAddressLatch();
  readonly source = new RtpSource(CLOCK_RATE_HZ);
  readonly statistics = new ReceptionStatistics(this.source);
  readonly #options: RtpReceiverOptions;
  readonly #packet = createRtpPacket();
  readonly #order = new ReorderWindow();
  readonly #event = createTelephoneEvent();
  readonly #dtmf: DtmfReceiver;
  readonly #peerAudio: PeerAudio;
  readonly #audioEvents: AudioEventDetector;
  #parameters: RtpParameters | null = null;
  readonly #deduplicator = new DtmfDeduplicator();
  /** Null unless DTMF is detected in the audio. */
  #dtmfDetector: DtmfDetector | null = null;
  #nowMs = 0;

  constructor(options: RtpReceiverOptions) {
    this.#options = options;
    this.#audioEvents = new AudioEventDetector(options);
    this.#peerAudio = new PeerAudio({
      ...options,
      hear: (heard, length) => this.#hear(heard, length),
      hearSpeech: (heard, length) => this.#audioEvents.writeSpeech(heard, length),
      skipSpeech: (samples) => this.#audioEvents.skipSpeech(samples),
      silentMs: () => this.#audioEvents.silentMs,
      isAgentHeard: () => options.played.isHeard,
    });
    this.#dtmf = new DtmfReceiver(CLOCK_RATE_HZ, (digit, durationMs) => {
      if (!this.#deduplicator.take('event', digit, this.#nowMs)) return;
      options.emit({ type: 'dtmf', digit, durationMs });
      this.#peerAudio.relay?.relayDigit(digit);
    });
  }

  /** @param isMoved the peer's address changed: the source of the next allowed packet is latched */
  configure(parameters: RtpParameters, isMoved: boolean): void {
    this.#parameters = parameters;
    this.#peerAudio.configure(parameters.codec);
    this.#dtmf.clockRate = parameters.dtmfClockHz ?? CLOCK_RATE_HZ;
    if (parameters.inbandDtmf !== true) this.#dtmfDetector = null;
    else this.#dtmfDetector ??= new DtmfDetector((digit, durationMs) => this.#dtmfDetected(digit, durationMs));
    if (!isMoved) return;
    this.source.clockRate = CODEC_TRAITS[parameters.codec].clockHz;
    openLatch(this.latch, [parameters.remoteAddress, ...parameters.allowedAddresses], parameters.remotePort);
    this.source.reset();
    this.lastMs = NEVER;
    this.#lastAudioMs = NEVER;
  }

  /** The peer speaks, and it is certainly no echo. */
  get isNearEnd(): boolean {
    return this.#audioEvents.isNearEnd;
  }

  /** Takes one datagram. Except for `dropped`, it came from the peer, and packets may be sent to its source. */
  receive(datagram: Uint8Array, address: string, port: number, nowMs: number): LatchResult {
    const parameters = this.#parameters;
    const packet = this.#packet;
    const order = this.#order;
    this.#nowMs = nowMs;
    if (parameters === null || !receives(parameters) || !decodeRtp(datagram, datagram.length, packet))
      return this.#drop();
    if (!isExpected(parameters, packet.payloadType)) return this.#drop();
    const latched = checkSource(this.latch, address, port, packet.ssrc, packet.sequence, nowMs);
    if (latched === 'dropped') return this.#drop();
    this.#options.statistics.countReceived(1);
    this.lastMs = nowMs;
    const result = this.source.receive(packet, nowMs);
    if (result === 'dropped') {
      this.#options.statistics.countDropped(1);
      return latched;
    }
    if (result === 'restarted') this.#restart(nowMs);
    this.statistics.update(packet.timestamp, nowMs);
    order.push(
      packet.sequence,
      packet.timestamp,
      packet.payloadType,
      datagram,
      packet.payloadOffset,
      packet.payloadLength,
      nowMs,
    );
    this.#release(parameters, nowMs);
    return latched;
  }

  /** Called every 20 ms: gives up missing packets, ends events and speech that do not continue. */
  tick(nowMs: number): void {
    if (this.#parameters === null) return;
    this.#nowMs = nowMs;
    this.#release(this.#parameters, nowMs);
    this.#dtmf.tick(nowMs);
    if (nowMs - this.#lastAudioMs - this.#skippedMs <= SILENT_SOURCE_MS) return;
    this.#audioEvents.interrupt();
    this.#dtmfDetector?.interrupt();
    this.#peerAudio.flush();
  }

  /** The worker stalled for this time: it is no silence of the peer. */
  skip(ms: number): void {
    this.#skippedMs += ms;
  }

  /** Takes a DTMF digit of SIP INFO. A bridge relays it as an RTP event. */
  receiveInfoDtmf(digit: string, durationMs: number, nowMs: number): void {
    if (!this.#deduplicator.take('info', digit, nowMs)) return;
    this.#options.emit({ type: 'dtmf', digit, durationMs });
    this.#peerAudio.relay?.relayDigit(digit);
  }

  listenForTones(on: boolean): void {
    this.#audioEvents.listenForTones(on);
  }

  suppressNoise(create: CreateNoiseSuppressor, failed: (error: unknown) => void): void {
    this.#peerAudio.suppressNoise(create, failed);
  }

  /** Copies the peer's audio and DTMF digits to the relay. Null ends the copying. */
  relayTo(relay: AudioRelay | null): void {
    this.#peerAudio.relay = relay;
  }

  /** The call ends: emits the current digit. */
  close(): void {
    this.#dtmf.close();
    this.#audioEvents.free();
    this.#peerAudio.free();
  }

  #restart(nowMs: number): void {
    // The waiting packets belong to the stream that ended. The missing ones will not arrive.
    while (this.#parameters !== null && this.#order.next(Number.POSITIVE_INFINITY))
      this.#deliver(this.#parameters, nowMs);
    this.#order.reset();
    this.#peerAudio.restart();
    this.#audioEvents.restart();
    this.#dtmf.reset();
    this.statistics.reset();
    this.#options.recorder?.restart();
  }

  #release(parameters: RtpParameters, nowMs: number): void {
    while (this.#order.next(nowMs)) this.#deliver(parameters, nowMs);
  }

  #deliver(parameters: RtpParameters, nowMs: number): void {
    const order = this.#order;
    if (order.payloadType === parameters.payloadType) {
      if (order.length > 0) this.#takeAudio(nowMs);
    } else if (order.payloadType === eventsOf(parameters)) {
      if (decodeTelephoneEvent(order.payload, 0, order.length, this.#event)) {
        this.#dtmf.receive(this.#event, order.timestamp, nowMs);
      }
    } else {
      this.#peerAudio.takeComfortNoise(order.timestamp, comfortNoiseLevel(order.payload, order.length));
    }
  }

  #takeAudio(nowMs: number): void {
    const { length, lostBefore, payload, timestamp } = this.#order;
    this.#lastAudioMs = nowMs;
    this.#skippedMs = 0;
    this.#peerAudio.take(payload, length, timestamp, lostBefore);
  }

  #hear(samples: Int16Array, length: number): void {
    this.#audioEvents.writeTones(samples, length);
    this.#dtmfDetector?.write(samples, length);
  }

  /** A digit was detected in the audio. A bridge relays it as audio. */
  #dtmfDetected(digit: string, durationMs: number): void {
    if (this.#deduplicator.take('tone', digit, this.#nowMs)) this.#options.emit({ type: 'dtmf', digit, durationMs });
  }

  #drop(): 'dropped' {
    this.#options.statistics.countDropped(1);
    return 'dropped';
  }
}

function receives(parameters: RtpParameters): boolean {
  return parameters.direction === 'sendrecv' || parameters.direction === 'recvonly';
}

function isExpected(parameters: RtpParameters, payloadType: number): boolean {
  return (
    payloadType === parameters.payloadType ||
    payloadType === eventsOf(parameters) ||
    payloadType === COMFORT_NOISE_PAYLOAD_TYPE
  );
}

/** The payload type of the peer's telephone-events; null without them. */
function eventsOf({ dtmfPayloadType, dtmfReceivePayloadType }: RtpParameters): number | null {
  return dtmfReceivePayloadType ?? dtmfPayloadType;
}
