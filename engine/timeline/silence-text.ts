import type { Silence, SilenceCause, SilencePart } from './silence.ts';

const BEFORE = { agent: 'the agent', user: 'the next words of the user', end: 'the end of the call' } as const;
const AFTER = { start: 'the answer of the call', user: 'the user', agent: 'the agent' } as const;

/** A silence as one line of English: its place, and its causes with their shares. */
export function silenceText({ after, before, fromUs, parts, toUs }: Silence): string {
  const causes = parts.map((part) => partText(part, parts.length > 1)).join('; ');
  return `${seconds((toUs - fromUs) / 1000)} from ${AFTER[after]} to ${BEFORE[before]}: ${causes}`;
}

function partText({ cause, share }: SilencePart, isOneOfSeveral: boolean): string {
  return isOneOfSeveral ? `${causeText(cause)} (${percent(share)})` : causeText(cause);
}

/** A cause with its evidence. */
export function causeText(cause: SilenceCause): string {
  switch (cause.type) {
    case 'transcriber_late':
      return `the words came ${Math.round(cause.lateMs)} ms after the end of speech`;
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
      return `the voice’s first audio took ${seconds(cause.firstAudioMs)}`;
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

function modelText({ firstTextMs, firstTokenMs }: Extract<SilenceCause, { readonly type: 'model_slow' }>): string {
  if (firstTokenMs === null && firstTextMs === null) return 'the model had not answered';
  const token = firstTokenMs === null ? '' : `first token took ${seconds(firstTokenMs)}`;
  const text = firstTextMs === null ? 'no sentence came' : `first sentence or tool call ${seconds(firstTextMs)}`;
  return `the model’s ${[token, text].filter((part) => part !== '').join(', ')}`;
}

function failureText({
  error,
  failures,
  next,
  type,
}: Extract<SilenceCause, { readonly type: 'model_failed' | 'voice_failed' }>): string {
  const provider = type === 'model_failed' ? 'the model' : 'the voice';
  const times = failures > 1 ? ` ${failures} times` : '';
  return `${provider} failed${times} (${error}); ${next === null ? 'asked again' : `fallback to ${next}`}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
