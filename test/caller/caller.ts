import { writeFile } from 'node:fs/promises';
import { encodeWav } from '../../base/audio/wav.ts';
import { type Codec, type Pace, type RtpPeerReport, TalkingRtpPeer } from '../rtp-peer/talking-rtp-peer.ts';
import { type EndedBy, SipCaller } from '../sip-endpoint/sip-caller.ts';
import type { Hop } from '../sip-endpoint/sip-transport.ts';

export interface CallOptions {
  readonly target: Hop;
  readonly protocol?: 'UDP' | 'TCP';
  /** User part of the Request-URI and of To: what is dialled. */
  readonly to: string;
  readonly from?: string;
  /** For example `X-Service-Call-Id`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In order of preference; both laws by default, mu-law first. */
  readonly codecs?: readonly Codec[];
  /** The callee makes the offer (RFC 3264 §4): the INVITE goes without a description. */
  readonly lateOffer?: boolean;
  /** What the caller says from the answer on, 8 kHz; silence follows it. */
  readonly audio?: Int16Array;
  /** Of its packets; by the clock where it is not given. */
  readonly pace?: Pace;
  /** Who ends the call: the callee, or a BYE of ours at the end of `audio`, once so many ms of audio and silence have left, or at an event. */
  readonly hangUp?: 'callee' | 'at_audio_end' | { readonly afterMs: number } | { readonly at: Promise<unknown> };
  /** So many ms after the INVITE, unless it was answered by then. */
  readonly cancelAfterMs?: number;
  /** Keys pressed once so many ms of audio and silence have left, or at an event; as events in RTP or each in a SIP INFO. */
  readonly dtmf?: readonly ({ readonly digits: string; readonly by?: 'rtp' | 'info' } & (
    | { readonly atMs: number }
    | { readonly at: Promise<unknown> }
  ))[];
  /** Where to write what was heard. */
  readonly recordTo?: string;
  /** Bound of the whole call, after which it is cancelled or ended. */
  readonly maxDurationMs?: number;
}

export interface CallReport {
  readonly sipCallId: string;
  /** Of the responses to the INVITE, in order. */
  readonly statuses: readonly number[];
  readonly endedBy: EndedBy;
  /** In ms since the INVITE; null where it did not come to that. */
  readonly ringingMs: number | null;
  readonly answeredMs: number | null;
  readonly endedMs: number;
  readonly rtp: RtpPeerReport;
  readonly recordedTo: string | null;
  /** What was heard, 8 kHz. */
  readonly heard: Int16Array;
  /** The SIP messages both ways, a line each. */
  readonly ladder: readonly string[];
}

const LOCAL_ADDRESS = '127.0.0.1';
const MAX_DURATION_MS = 120_000;
/** After the call's bound: what a BYE or CANCEL may take before the caller is gone all the same. */
const GRACE_MS = 5_000;

/** Places one call and stays until it has ended. Rejects only where no socket can be had. */
export async function call(options: CallOptions): Promise<CallReport> {
  const rtp = await TalkingRtpPeer.open(LOCAL_ADDRESS);
  const timers: NodeJS.Timeout[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<EndedBy>();
  const startMs = performance.now();
  let ringingMs: number | null = null;
  let answeredMs: number | null = null;
  const uac = new SipCaller(
    {
      target: options.target,
      protocol: options.protocol ?? 'UDP',
      localAddress: LOCAL_ADDRESS,
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
    const bound = options.maxDurationMs ?? MAX_DURATION_MS;
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
    return { sipCallId, statuses, endedBy, ...times, rtp: rtp.report(), recordedTo, heard, ladder: ladder.lines };
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
      if (by === 'info') for (const digit of digits) uac.pressKey(digit);
      else rtp.sendDtmf(digits);
    };
    if ('at' in when) void when.at.then(press);
    else rtp.after(when.atMs, press);
  }
  const onAudioEnd = () => {
    if (hangUp === 'at_audio_end') uac.bye();
  };
  rtp.start(options.audio ?? new Int16Array(0), onAudioEnd, options.pace);
}

function toWav(samples: Int16Array): Uint8Array {
  const data = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return encodeWav({ format: { encoding: 'linear16', sampleRateHz: 8000 }, channels: 1, data });
}
