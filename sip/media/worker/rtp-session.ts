import type { Resamplers } from '../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import { PacketCapture } from '../../capture/packet-capture.ts';
import type { Endpoint } from '../../capture/pcap.ts';
import { CallRecorder } from '../../recorder/call-recorder.ts';
import { type AudioCodec, isWideband } from '../../rtp/codecs/audio-codec.ts';
import type { OpusCodecs } from '../../rtp/codecs/opus-codec.ts';
import { looksLikeRtcp } from '../../rtp/packet/rtp-packet.ts';
import { RELATCH_SILENCE_MS } from '../../rtp/reception/peer-address-latch.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { AudioRelay, ReplacementAudio } from '../audio-bridge/audio-relay.ts';
import type { VoiceClassifier } from '../detection/voice-activity.ts';
import { MediaQualityRecorder } from '../quality/media-quality.ts';
import { RtpReceiver } from '../receive/rtp-receiver.ts';
import { Playout } from '../send/playout.ts';
import { PlayoutTranscoder } from '../send/playout-transcoder.ts';
import { RtpSender } from '../send/rtp-sender.ts';
import type { UdpSocket, UdpSockets } from '../udp/udp-sockets.ts';
import { CODEC_ALAW, CODEC_LINEAR16, CODEC_MULAW } from '../worker-channel/audio-frame.ts';
import type { OpenCommand, SessionKey } from '../worker-channel/media-worker-messages.ts';
import { type SessionMemory, viewSessionMemory, WANTS_ROOM } from '../worker-channel/session-memory.ts';
import type { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { RtcpSession } from './rtcp-session.ts';
import { SrtpSession } from './srtp-session.ts';

/**
 * So many packets verify the source: a fifth of a second of speech. With fewer, an attacker who sends to every port
 * would soon verify a forged address.
 */
const VERIFICATION_PACKETS = 10;

/** What a leg needs of its worker. */
export interface WorkerContext {
  readonly transport: UdpSockets;
  readonly resamplers: Resamplers;
  readonly opus: OpusCodecs;
  readonly createClassifier: () => VoiceClassifier;
  readonly statistics: WorkerStatistics;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** 32 random bits. */
  readonly random: () => number;
  readonly emit: (key: SessionKey, event: MediaEvent) => void;
  /** The source of an unverified session was verified. */
  readonly sourceVerified: (key: SessionKey) => void;
  /** Packets of a captured session. */
  readonly captured: (key: SessionKey, records: Uint8Array) => void;
  /** An internal error while a packet was received: it costs this session only. */
  readonly fail: (key: SessionKey, error: unknown) => void;
  /** The session has audio for the main thread, or space. */
  readonly ready: (slot: number) => void;
}

/** One call in its worker: two ports, the way in, the way out, and the reports on both. */
export class RtpSession {
  readonly #memory: SessionMemory;
  readonly #context: WorkerContext;
  readonly #key: SessionKey;
  readonly #mediaTimeoutMs: number;
  readonly #rtp: UdpSocket;
  readonly #rtcpEndpoint: UdpSocket;
  readonly #recorder: CallRecorder | null;
  readonly #converter: PlayoutTranscoder;
  readonly #playout: Playout;
  readonly #inbound: RtpReceiver;
  readonly #outbound: RtpSender;
  readonly #rtcp: RtcpSession;
  readonly #security: SrtpSession;
  #parameters: RtpParameters | null = null;
  readonly #port: number;
  /** Null without a capture: then nothing is copied. */
  #capture: PacketCapture | null = null;
  /** Since when packets of the peer are missing; null while none are expected. */
  #expectedSinceMs: number | null = null;
  #timeoutReported = false;
  /** Packets of an unverified source. */
  #verificationPackets = 0;

  /** Binds both ports. Rejects with the system's error, and leaves neither port bound. */
  static async open(command: OpenCommand, port: number, key: SessionKey, context: WorkerContext): Promise<RtpSession> {
    let session: RtpSession | null = null;
    const rtp = await context.transport.bind(port, (packet, address, port) => {
      if (session !== null) session.#receive(packet, address, port);
    });
    try {
      const rtcp = await context.transport.bind(port + 1, (packet, address, port) => {
        if (session !== null) session.#receiveRtcp(packet, address, port);
      });
      session = new RtpSession(command, port, key, context, rtp, rtcp);
      return session;
    } catch (error) {
      await rtp.close();
      throw error;
    }
  }

  private constructor(
    command: OpenCommand,
    port: number,
    key: SessionKey,
    context: WorkerContext,
    rtp: UdpSocket,
    rtcpEndpoint: UdpSocket,
  ) {
    this.#context = context;
    this.#key = key;
    this.#mediaTimeoutMs = command.mediaTimeoutMs;
    this.#port = port;
    this.#rtp = rtp;
    this.#rtcpEndpoint = rtcpEndpoint;
    this.#memory = viewSessionMemory(command.memory);
    this.#security = new SrtpSession(this.#memory.control);
    this.#recorder = command.recording === null ? null : new CallRecorder(command.recording);
    this.#recorder?.agentSilent(command.absentMs);
    const { slot, generation } = key;
    const recorder = this.#recorder;
    const emit = (event: MediaEvent) => context.emit(key, event);
    this.#converter = new PlayoutTranscoder(context.resamplers);
    this.#playout = new Playout(this.#memory, slot, generation, this.#converter);
    this.#inbound = new RtpReceiver({
      memory: this.#memory,
      slot,
      generation,
      format: command.format,
      resamplers: context.resamplers,
      opus: context.opus,
      classifier: context.createClassifier(),
      recorder,
      statistics: context.statistics,
      emit,
      ready: () => context.ready(slot),
    });
    const playout = this.#playout;
    const security = this.#security;
    const endpoint = {
      send: (packet: Uint8Array) => {
        this.#captureSent(packet);
        sendProtected(rtp, security, packet);
      },
    };
    const { statistics, random, opus, resamplers } = context;
    this.#outbound = new RtpSender({ endpoint, playout, opus, resamplers, recorder, statistics, emit, random });
    const inbound = this.#inbound;
    const outbound = this.#outbound;
    const { wallMs } = context;
    const quality = new MediaQualityRecorder(this.#memory.quality);
    this.#rtcp = new RtcpSession(
      {
        endpoint: rtcpEndpoint,
        muxed: rtp,
        security,
        inbound,
        outbound,
        quality,
        wallMs,
        random,
        onReceived: (packet, from) => this.#capture?.received(from, packet, this.#rtcpPort),
        onSent: (packet, to) => this.#capture?.sent(to ?? this.#peer(), packet, this.#rtcpPort),
      },
      context.nowMs(),
    );
  }

  /** The first SDP, or a new one. A change of direction alone keeps the latch. */
  configure(parameters: RtpParameters): void {
    const before = this.#parameters;
    const moved = before === null || !samePeer(before, parameters);
    this.#parameters = parameters;
    this.#security.configure(parameters.srtp);
    this.#converter.outputCodec = playedCodec(parameters.codec);
    if (this.#recorder !== null) this.#recorder.alaw = parameters.codec === 'pcma';
    this.#inbound.configure(parameters, moved);
    this.#outbound.configure(parameters);
    this.#expectedSinceMs = parameters.direction === 'sendrecv' ? this.#context.nowMs() : null;
    this.#timeoutReported = false;
    this.#verificationPackets = 0;
    if (!moved) return;
    const port = isSomewhere(parameters.remoteAddress) ? parameters.remotePort : 0;
    this.#rtp.aim(parameters.remoteAddress, port);
    this.#rtcp.configure(parameters.remoteAddress, port, parameters.rtcpMux === true);
  }

  /** Both ways: the peer is sent the codec that it sends. */
  get isWideband(): boolean {
    return this.#parameters !== null && isWideband(this.#parameters.codec);
  }

  /** The pacer's tick: one packet out, then whatever is due. */
  tick(): void {
    const parameters = this.#parameters;
    if (parameters === null) return;
    this.#outbound.tick(parameters);
    const nowMs = this.#context.nowMs();
    this.#inbound.tick(nowMs);
    if (!parameters.sourceUnverified) this.#rtcp.tick(nowMs);
    this.#watch(nowMs);
    this.#signalRoom();
  }

  /** Ticks that came too late to be sent. */
  skip(ticks: number): void {
    if (this.#parameters !== null) this.#outbound.skip(ticks);
  }

  clear(utterance: number): void {
    this.#playout.discardCleared();
    this.#context.emit(this.#key, { type: 'cleared', utterance, playedMs: this.#playout.playedMs(utterance) });
    this.#signalRoom();
  }

  pause(): void {
    const { utterance } = this.#playout;
    this.#context.emit(this.#key, { type: 'paused', utterance, playedMs: this.#playout.playedMs(utterance) });
  }

  sendDtmf(digits: string): void {
    this.#outbound.sendDtmf(digits);
  }

  /** The peer sent a DTMF digit by SIP INFO. */
  receiveInfoDtmf(digit: string, durationMs: number): void {
    this.#inbound.receiveInfoDtmf(digit, durationMs, this.#context.nowMs());
  }

  listenForTones(on: boolean): void {
    this.#inbound.listenForTones(on);
  }

  /** Copies the packets both ways from now on, RTP and RTCP, before encryption and after decryption; null: no more. */
  capture(localAddress: string | null): void {
    this.#capture?.flush();
    const context = this.#context;
    const key = this.#key;
    const port = this.#port;
    const hand = (records: Uint8Array) => context.captured(key, records);
    this.#capture =
      localAddress === null ? null : new PacketCapture({ address: localAddress, port }, context.wallMs, hand);
  }

  /** Replaces the agent's audio toward the peer; null: the agent's again. */
  playFrom(source: ReplacementAudio | null): void {
    this.#outbound.playFrom(source);
  }

  /** Where the peer's audio and DTMF digits go in addition. */
  relayTo(relay: AudioRelay | null): void {
    this.#inbound.relayTo(relay);
  }

  async close(): Promise<void> {
    this.#inbound.close();
    this.#recorder?.close();
    this.#converter.reset();
    this.#outbound.free();
    if (this.#parameters !== null && !this.#parameters.sourceUnverified) this.#rtcp.close(this.#context.nowMs());
    this.#capture?.flush();
    await Promise.all([this.#rtp.close(), this.#rtcpEndpoint.close()]);
  }

  #receive(packet: Uint8Array, address: string, port: number): void {
    try {
      if (this.#parameters?.rtcpMux === true && looksLikeRtcp(packet, packet.length)) {
        this.#rtcp.receive(packet, address, port, this.#context.nowMs());
        return;
      }
      // Before decryption: packets of other sources must cost next to nothing.
      const allowed = this.#inbound.latch.allowed.includes(address);
      const plain = allowed ? this.#security.unprotect(packet) : null;
      if (plain === null) {
        this.#context.statistics.countDropped(1);
        return;
      }
      if (!this.#inbound.receive(plain, address, port, this.#context.nowMs())) return;
      this.#capture?.received({ address, port }, plain);
      this.#timeoutReported = false;
      if (this.#parameters?.sourceUnverified && ++this.#verificationPackets === VERIFICATION_PACKETS)
        this.#context.sourceVerified(this.#key);
      if (this.#rtp.connected) return;
      this.#rtp.connect(address, port);
      this.#rtcp.latched(address, port);
    } catch (error) {
      this.#context.fail(this.#key, error);
    }
  }

  #captureSent(packet: Uint8Array): void {
    if (this.#parameters !== null) this.#capture?.sent(this.#peer(), packet);
  }

  /** The latched source of the peer's packets; before the first one, the address in SDP. */
  #peer(): Endpoint {
    const { latch } = this.#inbound;
    if (latch.address !== null) return { address: latch.address, port: latch.port };
    return { address: this.#parameters?.remoteAddress ?? '', port: this.#parameters?.remotePort ?? 0 };
  }

  get #rtcpPort(): number {
    return this.#parameters?.rtcpMux === true ? this.#port : this.#port + 1;
  }

  #receiveRtcp(packet: Uint8Array, address: string, port: number): void {
    try {
      this.#rtcp.receive(packet, address, port, this.#context.nowMs());
    } catch (error) {
      this.#context.fail(this.#key, error);
    }
  }

  #watch(nowMs: number): void {
    const { lastMs, latch } = this.#inbound;
    if (latch.address !== null && this.#rtp.connected && nowMs - lastMs >= RELATCH_SILENCE_MS) {
      // The stream may continue from another source, which a connected socket would not receive.
      this.#rtp.aim(latch.address, latch.port);
    }
    if (this.#expectedSinceMs === null || this.#timeoutReported) return;
    if (nowMs - Math.max(this.#expectedSinceMs, lastMs) < this.#mediaTimeoutMs) return;
    this.#timeoutReported = true;
    this.#context.emit(this.#key, { type: 'timeout' });
  }

  #signalRoom(): void {
    const { control, agentAudio } = this.#memory;
    if (Atomics.load(control, WANTS_ROOM) === 0 || agentAudio.used > agentAudio.capacity / 2) return;
    Atomics.store(control, WANTS_ROOM, 0);
    this.#context.ready(this.#key.slot);
  }
}

function sendProtected(endpoint: UdpSocket, security: SrtpSession, packet: Uint8Array): void {
  const outgoing = security.protect(packet);
  if (outgoing !== null) endpoint.send(outgoing);
}

/** What the playout makes: the payload itself, or an encoder's input. */
function playedCodec(codec: AudioCodec): number {
  if (isWideband(codec)) return CODEC_LINEAR16;
  return codec === 'pcmu' ? CODEC_MULAW : CODEC_ALAW;
}

/** RFC 2543's hold. It cannot be sent to: the kernel treats the unspecified address as this host. */
function isSomewhere(address: string): boolean {
  return address !== '0.0.0.0' && address !== '::';
}

function samePeer(before: RtpParameters, now: RtpParameters): boolean {
  return (
    before.remoteAddress === now.remoteAddress &&
    before.remotePort === now.remotePort &&
    before.codec === now.codec &&
    before.payloadType === now.payloadType &&
    before.rtcpMux === now.rtcpMux &&
    before.allowedAddresses.length === now.allowedAddresses.length &&
    before.allowedAddresses.every((address, index) => address === now.allowedAddresses[index])
  );
}
