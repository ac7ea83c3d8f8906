import type { Resamplers } from '../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import { PacketCapture } from '../../capture/packet-capture.ts';
import type { Endpoint } from '../../capture/pcap.ts';
import { CallRecorder } from '../../recorder/call-recorder.ts';
import { type AudioCodec, isWideband } from '../../rtp/codecs/audio-codec.ts';
import type { OpusCodecs } from '../../rtp/codecs/opus-codec.ts';
import { looksLikeRtcp } from '../../rtp/packet/rtp-packet.ts';
import { isNamedSourceLatched, RELATCH_SILENCE_MS } from '../../rtp/reception/peer-address-latch.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { AudioRelay, ReplacementAudio } from '../audio-bridge/audio-relay.ts';
import { PlayedAudio } from '../detection/echo/played-audio.ts';
import type { VoiceClassifier } from '../detection/voice-activity.ts';
import { MediaQualityRecorder } from '../quality/media-quality.ts';
import type { CreateNoiseSuppressor } from '../receive/noise-suppressor.ts';
import { RtpReceiver } from '../receive/rtp-receiver.ts';
import { PACKET_INTERVAL_MS } from '../send/pacer.ts';
import { Playout } from '../send/playout.ts';
import { PlayoutTranscoder } from '../send/playout-transcoder.ts';
import { RtpSender } from '../send/rtp-sender.ts';
import type { SourceVerification } from '../source-verification.ts';
import type { UdpSocket, UdpSockets } from '../udp/udp-sockets.ts';
import { CODEC_ALAW, CODEC_LINEAR16, CODEC_MULAW } from '../worker-channel/audio-frame.ts';
import type { OpenCommand, SessionKey } from '../worker-channel/media-worker-messages.ts';
import { type SessionMemory, viewSessionMemory, WANTS_ROOM } from '../worker-channel/session-memory.ts';
import type { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { RtcpSession } from './rtcp-session.ts';
import { SrtpSession } from './srtp-session.ts';
import { UnansweredRtpLimit } from './unanswered-rtp-limit.ts';

/**
 * This number of packets verifies the source: 0.2 s of speech. With fewer, an attacker who sends to every port would
 * soon verify a forged address.
 */
const VERIFICATION_PACKETS = 10;

/** The services of the worker that a session uses. */
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
  /** Reports about a peer whose address is in doubt. */
  readonly sourceVerification: (key: SessionKey, result: SourceVerification) => void;
  /** Packets of a captured session. */
  readonly captured: (key: SessionKey, records: Uint8Array) => void;
  /** An internal error while a packet was received. It ends only this session's media. */
  readonly fail: (key: SessionKey, error: unknown) => void;
  /** The session has audio for the main thread, or space. */
  readonly ready: (slot: number) => void;
}

/** The RTP session of one call in its worker: two ports, receiver, sender, and RTCP. */
export class RtpSession {
  readonly #memory: SessionMemory;
  readonly #context: WorkerContext;
  readonly #key: SessionKey;
  readonly #mediaTimeoutMs: number;
  readonly #rtp: UdpSocket;
  readonly #rtcpEndpoint: UdpSocket;
  readonly #recorder: CallRecorder | null;
  readonly #played = new PlayedAudio();
  readonly #transcoder: PlayoutTranscoder;
  readonly #playout: Playout;
  readonly #inbound: RtpReceiver;
  readonly #outbound: RtpSender;
  readonly #rtcp: RtcpSession;
  readonly #security: SrtpSession;
  #parameters: RtpParameters | null = null;
  readonly #port: number;
  /** Null without a capture. */
  #capture: PacketCapture | null = null;
  /** Start of the media timeout; null while no packets of the peer are expected. */
  #expectedSinceMs: number | null = null;
  #timeoutReported = false;
  /** Packets of an unverified source. */
  #verificationPackets = 0;
  readonly #unanswered: UnansweredRtpLimit;
  /** Nothing is sent: the peer's address is in doubt. Decided in each tick. */
  #isSilenced = true;

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
    this.#unanswered = new UnansweredRtpLimit((result) => context.sourceVerification(key, result));
    this.#transcoder = new PlayoutTranscoder(context.resamplers);
    this.#playout = new Playout(this.#memory, slot, generation, this.#transcoder);
    this.#inbound = new RtpReceiver({
      memory: this.#memory,
      slot,
      generation,
      format: command.format,
      resamplers: context.resamplers,
      opus: context.opus,
      classifier: context.createClassifier(),
      played: this.#played,
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
    const played = this.#played;
    this.#outbound = new RtpSender({ endpoint, playout, opus, resamplers, recorder, played, statistics, emit, random });
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

  /** The first SDP, or a new one. If only the direction changes, the latch is kept. */
  configure(parameters: RtpParameters): void {
    const before = this.#parameters;
    const moved = before === null || !samePeer(before, parameters);
    this.#parameters = parameters;
    this.#security.configure(parameters.srtp);
    this.#transcoder.outputCodec = playedCodec(parameters.codec);
    this.#inbound.configure(parameters, moved);
    this.#outbound.configure(parameters);
    this.#expectedSinceMs = parameters.direction === 'sendrecv' ? this.#context.nowMs() : null;
    this.#timeoutReported = false;
    this.#verificationPackets = 0;
    if (!moved) return;
    const port = isSpecified(parameters.remoteAddress) ? parameters.remotePort : 0;
    this.#rtp.aim(parameters.remoteAddress, port);
    this.#rtcp.configure(parameters.remoteAddress, port, parameters.rtcpMux === true);
  }

  /** For both directions: we send the codec that the peer sends. */
  get isWideband(): boolean {
    return this.#parameters !== null && isWideband(this.#parameters.codec);
  }

  /** The pacer's tick: sends a packet, then handles reports and timeouts. */
  tick(): void {
    const parameters = this.#parameters;
    if (parameters === null) return;
    this.#isSilenced =
      parameters.sourceUnverified === true ||
      !this.#unanswered.allows(parameters, this.#inbound.latch.address !== null);
    this.#playout.isUserSpeaking = this.#inbound.isNearEnd;
    this.#outbound.tick(parameters, this.#isSilenced);
    const nowMs = this.#context.nowMs();
    this.#inbound.tick(nowMs);
    if (!this.#isSilenced) this.#rtcp.tick(nowMs);
    this.#watch(nowMs);
    this.#signalRoom();
  }

  /** Skips ticks that are too late. */
  skip(ticks: number): void {
    if (this.#parameters === null) return;
    this.#outbound.skip(ticks);
    this.#inbound.skip(ticks * PACKET_INTERVAL_MS);
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

  suppressNoise(create: CreateNoiseSuppressor, failed: (error: unknown) => void): void {
    this.#inbound.suppressNoise(create, failed);
  }

  listenForTones(on: boolean): void {
    this.#inbound.listenForTones(on);
  }

  /** Copies RTP and RTCP packets of both directions, unencrypted, from now on. Null ends the capture. */
  capture(localAddress: string | null): void {
    this.#capture?.flush();
    const context = this.#context;
    const key = this.#key;
    const port = this.#port;
    const onRecords = (records: Uint8Array) => context.captured(key, records);
    this.#capture =
      localAddress === null ? null : new PacketCapture({ address: localAddress, port }, context.wallMs, onRecords);
  }

  /** Replaces the agent's audio toward the peer. Null ends the replacement. */
  playFrom(source: ReplacementAudio | null): void {
    this.#outbound.playFrom(source);
  }

  /** Copies the peer's audio and DTMF digits to the relay. Null ends the copying. */
  relayTo(relay: AudioRelay | null): void {
    this.#inbound.relayTo(relay);
  }

  async close(): Promise<void> {
    this.#inbound.close();
    this.#recorder?.close();
    this.#transcoder.reset();
    this.#outbound.free();
    if (this.#parameters !== null && !this.#isSilenced) this.#rtcp.close(this.#context.nowMs());
    this.#capture?.flush();
    await Promise.all([this.#rtp.close(), this.#rtcpEndpoint.close()]);
  }

  #receive(packet: Uint8Array, address: string, port: number): void {
    try {
      if (this.#parameters?.rtcpMux === true && looksLikeRtcp(packet, packet.length)) {
        this.#rtcp.receive(packet, address, port, this.#context.nowMs());
        return;
      }
      // Checked before decryption, so that packets of other sources cost almost nothing.
      const allowed = this.#inbound.latch.allowed.includes(address);
      const plain = allowed ? this.#security.unprotect(packet) : null;
      if (plain === null) {
        this.#context.statistics.countDropped(1);
        return;
      }
      const result = this.#inbound.receive(plain, address, port, this.#context.nowMs());
      if (result === 'dropped') return;
      this.#capture?.received({ address, port }, plain);
      this.#timeoutReported = false;
      if (this.#parameters?.sourceUnverified && ++this.#verificationPackets === VERIFICATION_PACKETS)
        this.#context.sourceVerification(this.#key, 'verified');
      this.#follow(result, address, port);
    } catch (error) {
      this.#context.fail(this.#key, error);
    }
  }

  /** Sends to the source of the peer's packets from now on. */
  #follow(result: 'accepted' | 'latched', address: string, port: number): void {
    if (result === 'latched') {
      this.#rtp.aim(address, port);
      this.#rtcp.latched(address, port);
    }
    // A connected socket would not receive the source that SDP names, which may win the latch later.
    if (!this.#rtp.connected && isNamedSourceLatched(this.#inbound.latch)) this.#rtp.connect(address, port);
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

/** The output codec of the playout: the payload itself, or an encoder's input. */
function playedCodec(codec: AudioCodec): number {
  if (isWideband(codec)) return CODEC_LINEAR16;
  return codec === 'pcmu' ? CODEC_MULAW : CODEC_ALAW;
}

/** The unspecified address means on hold in RFC 2543. The kernel would send to this host instead. */
function isSpecified(address: string): boolean {
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
