import { writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { encodeWav } from '../../base/audio/wav.ts';
import { type Codec, type Pace, type RtpPeerReport, TalkingRtpPeer } from '../rtp-peer/talking-rtp-peer.ts';
import { type EndedBy, SipCaller } from '../sip-endpoint/sip-caller.ts';
import type { Hop } from '../sip-endpoint/sip-transport.ts';

export interface CallOptions {
  readonly target: Hop;
  readonly protocol?: 'UDP' | 'TCP';
  /** User part of the Request-URI and of To. */
  readonly to: string;
  readonly from?: string;
  /** For example `X-Service-Call-Id`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Media of the caller. The default is a peer on the loopback address of the target's IP family. */
  readonly rtp?: TalkingRtpPeer;
  /** In order of preference; both laws by default, mu-law first. */
  readonly codecs?: readonly Codec[];
  /** The callee makes the offer (RFC 3264 §4): the INVITE goes without a description. */
  readonly lateOffer?: boolean;
  /** Audio of the caller from the answer on, 8 kHz; silence follows. */
  readonly audio?: Int16Array;
  /** The caller sends its first packet at this event instead of the answer; it hangs up if the event fails. */
  readonly speaksAt?: Promise<unknown>;
  /** Pace of the RTP packets. The default is the real clock. */
  readonly pace?: Pace;
  /**
   * The party that ends the call: the callee, or the caller with BYE at the end of `audio`, after some ms of sent
   * packets, or at an event.
   */
  readonly hangUp?: 'callee' | 'at_audio_end' | { readonly afterMs: number } | { readonly at: Promise<unknown> };
  /** Sends CANCEL this many ms after the INVITE, unless the call was answered. */
  readonly cancelAfterMs?: number;
  /** DTMF digits, sent after some ms of sent packets or at an event, as RTP events or each in a SIP INFO. */
  readonly dtmf?: readonly ({ readonly digits: string; readonly by?: 'rtp' | 'info' } & (
    | { readonly atMs: number }
    | { readonly at: Promise<unknown> }
  ))[];
  /** WAV file for the audio heard. */
  readonly recordTo?: string;
  /** Maximum duration of the whole call. The caller then sends CANCEL or BYE. */
  readonly durationMsMax?: number;
}

export interface CallReport {
  readonly sipCallId: string;
  /** Statuses of the responses to the INVITE, in order. */
  readonly statuses: readonly number[];
  readonly endedBy: EndedBy;
  /** In ms since the INVITE. Null if the callee did not ring or answer. */
  readonly ringingMs: number | null;
  readonly answeredMs: number | null;
  readonly endedMs: number;
  readonly rtp: RtpPeerReport;
  readonly recordedTo: string | null;
  /** The audio heard, 8 kHz. */
  readonly heard: Int16Array;
  /** As `heard`, without the time for which a stalled sender sent no packet. */
  readonly heardWithoutHoles: Int16Array;
  /** The SIP messages in both directions, one a line. */
  readonly ladder: readonly string[];
}

const DURATION_MS_MAX = 120_000;
/** Time for the BYE or CANCEL after the call's bound; then the caller closes. */
const GRACE_MS = 5_000;

/** Places one call and resolves after its end. Rejects only if no socket can be bound. */
export async function call(options: CallOptions): Promise<CallReport> {
  const localAddress = isIPv6(options.target.host) ? '::1' : '127.0.0.1';
  const rtp = options.rtp ?? (await TalkingRtpPeer.open(localAddress));
  const timers: NodeJS.Timeout[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<EndedBy>();
  const startMs = performance.now();
  let ringingMs: number | null = null;
  let answeredMs: number | null = null;
  const uac = new SipCaller(
    {
      target: options.target,
      protocol: options.protocol ?? 'UDP',
      localAddress,
      to: options.to,
      from: options.from ?? 'caller',
      headers: options.headers ?? {},
      lateOffer: options.lateOffer ?? false,
      sdp: rtp.offer(options.codecs ?? ['pcmu', 'pcma']),
    },
    {
      onProvisional: (status) => {
        if (status > 100) ringingMs ??= performance.now() - startMs;
      },
      onAnswered: (answer) => {
        answeredMs = performance.now() - startMs;
        if (rtp.take(answer)) talk(options, rtp, uac);
        else uac.bye();
      },
      onEnded: end,
    },
  );
  try {
    if (options.cancelAfterMs !== undefined) {
      timers.push(setTimeout(() => answeredMs === null && uac.cancel(), options.cancelAfterMs));
    }
    const bound = options.durationMsMax ?? DURATION_MS_MAX;
    timers.push(setTimeout(() => (answeredMs === null ? uac.cancel() : uac.bye()), bound));
    timers.push(setTimeout(() => end('timeout'), bound + GRACE_MS));
    await uac.invite();
    const endedBy = await ended;
    const endedMs = performance.now() - startMs;
    const heard = rtp.heard();
    if (options.recordTo !== undefined) await writeFile(options.recordTo, toWav(heard));
    const { sipCallId, statuses, ladder } = uac;
    const recordedTo = options.recordTo ?? null;
    const times = { ringingMs, answeredMs, endedMs };
    const audio = { heard, heardWithoutHoles: rtp.heardWithoutHoles() };
    return { sipCallId, statuses, endedBy, ...times, rtp: rtp.report(), recordedTo, ...audio, ladder: ladder.lines };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    rtp.close();
    await uac.close();
  }
}

function talk(options: CallOptions, rtp: TalkingRtpPeer, uac: SipCaller): void {
  const hangUp = options.hangUp ?? 'callee';
  if (typeof hangUp === 'object' && 'afterMs' in hangUp) rtp.after(hangUp.afterMs, () => uac.bye());
  if (typeof hangUp === 'object' && 'at' in hangUp) void hangUp.at.then(() => uac.bye());
  for (const { digits, by, ...when } of options.dtmf ?? []) {
    const press = () => {
      if (by === 'info') for (const digit of digits) uac.sendInfoDtmf(digit);
      else rtp.sendDtmf(digits);
    };
    if ('at' in when) void when.at.then(press);
    else rtp.after(when.atMs, press);
  }
  const onAudioEnd = () => {
    if (hangUp === 'at_audio_end') uac.bye();
  };
  const start = () => rtp.start(options.audio ?? new Int16Array(0), onAudioEnd, options.pace);
  if (options.speaksAt === undefined) start();
  else options.speaksAt.then(start, () => uac.bye());
}

function toWav(samples: Int16Array): Uint8Array {
  const data = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return encodeWav({ format: { encoding: 'linear16', sampleRateHz: 8000 }, channels: 1, data });
}
