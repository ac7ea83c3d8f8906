import type { Silence, SilenceCause, SilencePart } from './silence.ts';
import { isUsual } from './usual-cause.ts';

/** The first sentence came with the first token. */
const SAME_MOMENT_MS = 50;

const BEFORE = { agent: 'the agent', user: 'the next words of the user', end: 'the end of the call' } as const;
const AFTER = { start: 'the answer of the call', user: 'the user', agent: 'the agent' } as const;

/** A cause whose share rounds to this explains the whole silence. */
const WHOLE_SHARE_MIN = 0.95;

/** A silence as one line of English: its place, and the part that each cause took of it. */
export function silenceText(silence: Silence): string {
  const { after, before, parts } = silence;
  const causes = parts.map((part) => partText(part, silence)).join('; ');
  return `${seconds(silenceMs(silence))} from ${AFTER[after]} to ${BEFORE[before]}: ${causes}`;
}

function partText({ cause, ms, share }: SilencePart, silence: Silence): string {
  const text = causeText(cause);
  return share >= WHOLE_SHARE_MIN ? text : `${seconds(ms)} of ${seconds(silenceMs(silence))}: ${text}`;
}

function silenceMs({ fromUs, toUs }: Silence): number {
  return (toUs - fromUs) / 1000;
}

/** A cause with its evidence. */
export function causeText(cause: SilenceCause): string {
  switch (cause.type) {
    case 'transcriber_late':
      return isUsual(cause)
        ? `the end of speech was certain after ${seconds(cause.lateMs)}`
        : `the transcriber was late: its words came ${seconds(cause.lateMs)} after the end of speech`;
    case 'speech_end_late':
      return `the end of speech was found ${seconds(cause.lateMs)} late (the words lasted longer than the voice)`;
    case 'transcriber_failed':
      return `the transcriber failed (${cause.error})`;
    case 'no_words':
      return `a sound or speech of ${seconds(cause.speechMs)} without words`;
    case 'open_words':
    case 'dictation': {
      const behaviour =
        cause.type === 'dictation' ? 'waited for the end of a dictation' : 'the sentence seemed to go on';
      return `${behaviour}: pause of ${seconds(cause.waitedMs)} for a score of ${cause.score} (${cause.reasons.join(', ')})`;
    }
    case 'dtmf_entry':
      return 'waited for more DTMF digits';
    case 'provider_turn_end':
      return `the transcriber ended the turn after ${seconds(cause.waitedMs)}${cause.isTimeout ? ' (timeout)' : ''}`;
    case 'model_failed':
    case 'voice_failed':
      return failureText(cause);
    case 'user_silent':
      return 'the user said nothing';
    case 'agent_waits':
      return 'the agent waited to speak';
    case 'unknown':
      return 'no recorded wait explains it';
    default:
      return waitText(cause);
  }
}

type Wait = Extract<
  SilenceCause,
  {
    readonly type:
      | 'model_slow'
      | 'voice_slow'
      | 'tool'
      | 'packet_loss'
      | 'interruption'
      | 'false_interruption'
      | 'on_hold'
      | 'transfer'
      | 'media_suspended'
      | 'overload';
  }
>;

function waitText(cause: Wait): string {
  switch (cause.type) {
    case 'model_slow':
      return modelText(cause);
    case 'voice_slow':
      return `${isUsual(cause) ? 'the voice' : 'the voice was slow'} (first audio after ${seconds(cause.firstAudioMs)})`;
    case 'tool':
      return `tool ${cause.name} ran ${seconds(cause.ranMs)}, ${cause.hasFiller ? 'filler played' : 'no filler'}`;
    case 'packet_loss':
      return `packet loss of ${percent(cause.lostShare)}`;
    case 'interruption':
      return `the user interrupted the agent: playback paused for ${seconds(cause.pausedMs)}`;
    case 'false_interruption':
      return `a sound without words: playback paused for ${seconds(cause.pausedMs)}`;
    case 'on_hold':
      return 'the call was on hold';
    case 'transfer':
      return cause.successful ? 'the call was transferred' : 'a transfer failed';
    case 'media_suspended':
      return 'the media worker was restarting';
    case 'overload':
      return `the service was ${seconds(cause.lateMs)} late: overload`;
  }
}

function modelText(cause: Extract<SilenceCause, { readonly type: 'model_slow' }>): string {
  const { firstTextMs, firstTokenMs, hasFiller, requests } = cause;
  const isUnanswered = firstTokenMs === null && firstTextMs === null;
  const first = isUnanswered ? [] : firstTimes(firstTokenMs, firstTextMs);
  const times = first.length === 0 ? [] : [first.join(', ')];
  const notes = [
    ...(requests > 1 ? [[`${requests} requests`, ...times].join(', the slowest: ')] : times),
    ...(hasFiller ? ['a filler was spoken during the wait'] : []),
  ];
  const name = isUnanswered ? 'the model had not answered' : isUsual(cause) ? 'the model' : 'the model was slow';
  return notes.length === 0 ? name : `${name} (${notes.join('; ')})`;
}

function firstTimes(firstTokenMs: number | null, firstTextMs: number | null): readonly string[] {
  const token = firstTokenMs === null ? [] : [`first token after ${seconds(firstTokenMs)}`];
  if (firstTextMs === null) return [...token, 'no sentence came'];
  if (firstTextMs - (firstTokenMs ?? 0) < SAME_MOMENT_MS) return token;
  return [...token, `first sentence or tool call after ${seconds(firstTextMs)}`];
}

function failureText({
  askedAgain,
  error,
  failures,
  next,
  type,
}: Extract<SilenceCause, { readonly type: 'model_failed' | 'voice_failed' }>): string {
  const provider = type === 'model_failed' ? 'the model' : 'the voice';
  const times = failures > 1 ? ` ${failures} times` : '';
  const retry = askedAgain ? 'asked again' : 'not asked again';
  return `${provider} failed${times} (${error}); ${next === null ? retry : `fallback to ${next}`}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
