import type { InboxEntry } from './event.ts';

/**
 * The user's audio lags behind the engine's time by more than this after a gap, in µs: the peer did not send packets
 * (silence suppression, mute, on hold). A smaller lag is jitter.
 */
const AUDIO_GAP_US = 500_000;
/** Gaps that are remembered: minutes of a call. The times of audio before them are estimated from the last forgotten one. */
const GAPS_MAX = 32;

/** Relates positions in the user's audio to engine time. */
export interface AudioClock {
  /** Engine time of the user's first sample. */
  readonly epochUs: number;
  /** In the order of the audio. */
  readonly gaps: readonly AudioGap[];
}

/** A time without audio of the user. */
export interface AudioGap {
  /** Its position: the end of the audio before it. */
  readonly atMs: number;
  /** Engine time of position 0, if the audio after the gap had begun there. */
  readonly epochUs: number;
}

/** Engine time of a position. */
export function audioTimeUs(clock: AudioClock, audioMs: number): number {
  const { epochUs } = clock.gaps.findLast(({ atMs }) => atMs < audioMs) ?? clock;
  return epochUs + Math.round(audioMs * 1000);
}

/** Position at an engine time; in a gap that of the gap. */
export function audioPositionMs(clock: AudioClock, us: number): number {
  const { gaps } = clock;
  const before = gaps.findLastIndex(({ atMs, epochUs }) => epochUs + atMs * 1000 <= us);
  const { epochUs } = gaps[before] ?? clock;
  return Math.min((us - epochUs) / 1000, gaps[before + 1]?.atMs ?? Number.POSITIVE_INFINITY);
}

/**
 * The clock after an entry of the inbox.
 *
 * @param knownMs the audio that had been received at the entry before it
 * @param isSpeaking the user spoke before it
 */
export function withInboxEntry(
  clock: AudioClock | null,
  { atUs, audioMs, event }: InboxEntry,
  knownMs: number,
  isSpeaking: boolean,
): AudioClock | null {
  if (audioMs === undefined) return clock;
  // A mute may begin within speech: the audio until now was before it. Silence suppression begins in silence.
  const received = withReceivedAudio(clock, Math.round(atUs - audioMs * 1000), isSpeaking ? audioMs : knownMs);
  const isSpeechStart = event.type === 'media.speech_started' || event.type === 'media.background_speech_started';
  return isSpeechStart ? withSpeechStart(received, event.audioMs) : received;
}

/**
 * The clock after news of the audio that has arrived.
 *
 * @param epochUs engine time of position 0, if that audio came without a gap. Packets can be late but never early: between
 * two gaps the smallest value is the most accurate one
 * @param gapMs position of the gap, if this shows one
 */
export function withReceivedAudio(clock: AudioClock | null, epochUs: number, gapMs: number): AudioClock {
  if (clock === null) return { epochUs, gaps: [] };
  const { gaps } = clock;
  const last = gaps.at(-1);
  if (last === undefined) {
    if (epochUs < clock.epochUs) return { epochUs, gaps };
    return epochUs - clock.epochUs > AUDIO_GAP_US ? withGap(clock, { atMs: gapMs, epochUs }) : clock;
  }
  const before = { ...clock, gaps: gaps.slice(0, -1) };
  const isFilled = epochUs - (before.gaps.at(-1) ?? clock).epochUs < last.epochUs - epochUs;
  // The media worker fills short gaps: their audio came at once, so the lag is again nearly that before the gap.
  if (isFilled) return withReceivedAudio(before, epochUs, gapMs);
  // No audio had come after the gap.
  if (last.atMs === gapMs || epochUs < last.epochUs) return withGap(before, { ...last, epochUs });
  return epochUs - last.epochUs > AUDIO_GAP_US ? withGap(clock, { atMs: gapMs, epochUs }) : clock;
}

/** Speech has begun at this position: silence suppression ends with it, so the last gap is not later. */
export function withSpeechStart(clock: AudioClock, startMs: number): AudioClock {
  const { gaps } = clock;
  const last = gaps.at(-1);
  if (last === undefined || last.atMs < startMs) return clock;
  const earliestMs = gaps.at(-2)?.atMs ?? 0;
  return { ...clock, gaps: [...gaps.slice(0, -1), { ...last, atMs: Math.max(earliestMs, startMs - 1) }] };
}

function withGap({ epochUs, gaps }: AudioClock, gap: AudioGap): AudioClock {
  const forgotten = gaps.length < GAPS_MAX ? undefined : gaps[0];
  return { epochUs: forgotten?.epochUs ?? epochUs, gaps: [...gaps, gap].slice(-GAPS_MAX) };
}
