import { expect, it } from 'vitest';
import { decodeMulaw } from '../../../base/audio/g711.ts';
import { FRAME_SAMPLES, frameEncoder } from '../../../fixtures/sound/frame-codec.ts';
import { atLevel, syntheticSpeech } from '../../../fixtures/sound/recorded-speech.ts';
import { seeded } from '../../../fixtures/sound/speakerphone.ts';
import { type AudioCodec, CODEC_TRAITS } from '../../../sip/rtp/codecs/audio-codec.ts';
import { createOpus } from '../../../sip/rtp/codecs/opus-codec.ts';
import { listen, mediaHarness } from './media-harness.ts';

const { connectedCall } = mediaHarness(11_000);

const FRAME_MS = 20;
const LENGTH_MS = 7_000;
/** The sounds of the peer, in ms of RTP time. */
const BURSTS = [
  [500, 1_000],
  [1_600, 2_200],
  [2_900, 3_500],
  [4_200, 4_800],
  [5_500, 6_100],
] as const;
const TOLERANCE_MS = 20;
/** The peer waits in silences until all its audio except this part was heard: a ring buffer holds two seconds. */
const WAITING_MS = 400;
/** Each burst is sent at once with the audio around it, so that no stall of this process causes a pause in it. */
const WAITS_MS = BURSTS.map(([, untilMs]) => untilMs + 300);
/** The last burst is over by then. */
const SPOKEN_UNTIL_MS = 6_000;
/** The half-rate filter and the encoder of Opus delay the sound itself. */
const OPUS_DELAY_MS = 8;
const LOSS = 0.05;
/** Position in the spoken greeting from which it has voice for 0.6 s. */
const VOICED_MS = 280;
/** A telephone event takes the place of this audio, in the silence before the third burst. */
const EVENT = { fromMs: 2_500, untilMs: 2_660 };
const EVENT_PAYLOAD_TYPE = 101;
const COMFORT_NOISE_PAYLOAD_TYPE = 13;
const PAYLOAD_TYPES = { pcmu: 0, g722: 9, opus: 111 } as const;
/** Sound is over −40 dBFS. */
const SOUND_AMPLITUDE = 328;

const PERFECT = { name: 'nothing lost', hasLoss: false, suppressesSilence: false, hasEvent: false };
const NETWORKS = [
  { name: '5 % loss', hasLoss: true, suppressesSilence: false, hasEvent: false },
  { name: 'silence suppression with comfort noise', hasLoss: false, suppressesSilence: true, hasEvent: false },
  { name: 'a telephone event', hasLoss: false, suppressesSilence: false, hasEvent: true },
  { name: 'all of them', hasLoss: true, suppressesSilence: true, hasEvent: true },
] as const;

const burstAt = (ms: number) => BURSTS.find(([fromMs, untilMs]) => ms >= fromMs && ms < untilMs);

/** The first and the last frames of the call arrive: audio time begins with a packet. */
const isEdge = (ms: number) => ms < 100 || ms >= LENGTH_MS - 500;

/** The first and the last frames of a burst arrive: without them no receiver knows its ends. */
function mayBeLost(ms: number): boolean {
  if (isEdge(ms)) return false;
  const burst = burstAt(ms) ?? burstAt(ms + 2 * FRAME_MS) ?? burstAt(ms - 2 * FRAME_MS);
  if (burst === undefined) return true;
  const [fromMs, untilMs] = burst;
  return ms >= fromMs + 3 * FRAME_MS && ms < untilMs - 3 * FRAME_MS;
}

/** When sound begins after each silence of 200 ms, in ms of the audio. */
function soundStarts(samples: Int16Array, samplesPerMs: number): readonly number[] {
  const starts: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < SOUND_AMPLITUDE) continue;
    if (index - last > 200 * samplesPerMs) starts.push(index / samplesPerMs);
    last = index;
  }
  return starts;
}

it.each((['pcmu', 'g722', 'opus'] as const).flatMap((codec) => NETWORKS.map((network) => ({ codec, ...network }))))(
  'over $codec with $name, the times of sound and voice activity are RTP time',
  async (call) => {
    const whole = await heardCall({ ...PERFECT, codec: call.codec });
    const delayMs = call.codec === 'opus' ? OPUS_DELAY_MS : 0;
    expectNear(
      whole.starts,
      BURSTS.map(([fromMs]) => fromMs + delayMs),
    );
    const heard = await heardCall(call);
    expectNear(heard.starts, whole.starts);
    expectNear(heard.started, whole.started);
    expectNear(heard.stopped, whole.stopped);
  },
);

function expectNear(timesMs: readonly number[], expectedMs: readonly number[]): void {
  expect(timesMs).toHaveLength(expectedMs.length);
  for (const [index, ms] of timesMs.entries())
    expect(Math.abs(ms - (expectedMs[index] ?? 0))).toBeLessThanOrEqual(TOLERANCE_MS);
}

/** The starts of sound at the transcriber, and those of voice activity, in ms of the user's audio. */
async function heardCall(call: Call) {
  const { codec } = call;
  const { session, caller, events } = await connectedCall({ codec }, {}, { codec, payloadType: PAYLOAD_TYPES[codec] });
  const heard = listen(session);
  const samplesPerMs = call.codec === 'pcmu' ? 8 : 16;
  const bytesPerMs = call.codec === 'pcmu' ? 8 : 32;
  const heardUntil = (ms: number) => heard.until(ms * bytesPerMs);
  await sendCall(caller, session.port, call, heardUntil);
  await heardUntil(LENGTH_MS - 200);
  const times = (type: 'speech_started' | 'speech_stopped') =>
    events.flatMap((event) => (event.type === type ? [event.audioMs] : []));
  const isOver = () => (times('speech_stopped').at(-1) ?? 0) >= SPOKEN_UNTIL_MS;
  await caller.until(isOver);
  const starts = soundStarts(linearOf(heard.all(), call.codec), samplesPerMs);
  session.close();
  return { starts, started: times('speech_started'), stopped: times('speech_stopped') };
}

function linearOf(bytes: Uint8Array, codec: AudioCodec): Int16Array {
  if (codec !== 'pcmu') return new Int16Array(bytes.slice().buffer);
  const samples = new Int16Array(bytes.length);
  decodeMulaw(bytes, 0, bytes.length, samples);
  return samples;
}

type Call = typeof PERFECT & { readonly codec: keyof typeof PAYLOAD_TYPES };
type Caller = Awaited<ReturnType<typeof connectedCall>>['caller'];

const SPEECH = atLevel(syntheticSpeech('greeting-woman'), -18);

/** 20 ms of a voiced part of speech, the same in each burst. */
function vowel(ms: number): Int16Array {
  const [fromMs] = burstAt(ms) ?? [ms];
  const from = (VOICED_MS + ms - fromMs) * 8;
  return SPEECH.slice(from, from + FRAME_SAMPLES);
}

async function sendCall(
  caller: Caller,
  port: number,
  call: Call,
  heardUntil: (ms: number) => Promise<void>,
): Promise<void> {
  const encode = frameEncoder(call.codec, createOpus());
  const clockPerMs = CODEC_TRAITS[call.codec].clockHz / 1000;

  const random = seeded(7);
  const bytes = new Uint8Array(640);
  let wasSilent = false;
  const sending: Promise<void>[] = [];
  for (let ms = 0; ms < LENGTH_MS; ms += FRAME_MS) {
    const timestamp = 8_000 + ms * clockPerMs;
    const isSilent = burstAt(ms) === undefined;
    const samples = isSilent ? new Int16Array(FRAME_SAMPLES) : vowel(ms);
    const payload = bytes.slice(0, encode(samples, bytes, 0));
    const isEvent = call.hasEvent && ms >= EVENT.fromMs && ms < EVENT.untilMs;
    const isSuppressed = call.suppressesSilence && isSilent && !isEdge(ms);
    if (isEvent) {
      const duration = (ms - EVENT.fromMs + FRAME_MS) * 8;
      const end = ms + FRAME_MS >= EVENT.untilMs ? 0x8a : 0x0a;
      const digit = Uint8Array.of(5, end, duration >> 8, duration & 0xff);
      sending.push(caller.send(port, digit, EVENT_PAYLOAD_TYPE, false, 8_000 + EVENT.fromMs * clockPerMs));
    } else if (isSuppressed) {
      if (!wasSilent && call.codec !== 'opus')
        sending.push(caller.send(port, Uint8Array.of(70), COMFORT_NOISE_PAYLOAD_TYPE, false, timestamp));
    } else if (call.hasLoss && random() < LOSS && mayBeLost(ms)) caller.sequence = (caller.sequence + 1) & 0xffff;
    else sending.push(caller.send(port, payload, PAYLOAD_TYPES[call.codec], !isSilent && wasSilent, timestamp));
    wasSilent = isSilent;
    if (!WAITS_MS.includes(ms)) continue;
    await Promise.all(sending.splice(0));
    await heardUntil(ms - WAITING_MS);
  }
  await Promise.all(sending);
}
