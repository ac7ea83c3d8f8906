import { DICTATION_REASONS, pauseMsOf } from '../completeness/end-of-turn-pause.ts';
import type { TurnRecord, UserTurnRecord } from '../ports/turn-record.ts';
import type { CallSpan } from './call-span.ts';
import { modelWaits, voiceWaits } from './request-waits.ts';
import type { SilenceCause } from './silence.ts';
import type { TimelineInput } from './timeline-input.ts';
import { RANKS, spansOf, type Wait } from './wait.ts';

/** A pause this long waited for the rest of an open sentence. Shorter ones follow a whole sentence and are no wait. */
const OPEN_PAUSE_MS_MIN = 500;
/** Words that come this much later than the pause of their turn have delayed its end. */
const LATE_WORDS_MS_MIN = 100;

/** From the request to pause until the last packet. */
const PAUSE_SLACK_MS = 500;
/** Shorter sounds are coughs and clicks. */
const WORDLESS_MS_MIN = 500;

/** All waits of a call. */
export function callWaits(input: TimelineInput): readonly Wait[] {
  const { spans, turns } = input;
  return [
    ...spans.flatMap((span) => spanWait(span, spans)),
    ...turns.flatMap((turn) => (turn.user === null ? [] : turnEndWaits(turn, turn.user, spans))),
    ...speechEndWaits(input),
    ...toolWaits(input),
    ...modelWaits(input),
    ...voiceWaits(input),
    ...wordlessWaits(input),
  ];
}

function spanWait(span: CallSpan, spans: readonly CallSpan[]): readonly Wait[] {
  const { fromUs, toUs } = span;
  const ms = (toUs - fromUs) / 1000;
  const wait = (rank: number, cause: SilenceCause) => [{ rank, fromUs, toUs, cause }];
  switch (span.type) {
    case 'on_hold':
    case 'media_suspended':
      return wait(RANKS.halt, { type: span.type });
    case 'transfer':
      return wait(RANKS.halt, { type: 'transfer', successful: span.successful });
    case 'playback_pause': {
      // A pause between two replies does not delay any speech.
      const wasHeard = spansOf(spans, 'agent_speech').some(
        (heard) => Math.abs(heard.toUs - fromUs) <= PAUSE_SLACK_MS * 1000,
      );
      const type = span.isInterruption ? 'interruption' : 'false_interruption';
      return wasHeard ? wait(RANKS.pause, { type, pausedMs: ms }) : [];
    }
    case 'dtmf_entry':
      return wait(RANKS.turnEnd, { type: 'dtmf_entry' });
    case 'machine_wait':
      return wait(RANKS.machine, { type: 'agent_waits' });
    case 'transcriber_failure':
      return wait(RANKS.transcriberFailure, { type: 'transcriber_failed', error: span.error });
    case 'late_timer':
      return wait(RANKS.overload, { type: 'overload', lateMs: ms });
    default:
      return [];
  }
}

/** From the end of the user's voice to the end of their speech, if the transcriber's words lasted longer. */
function speechEndWaits({ spans, transcript, turns }: TimelineInput): readonly Wait[] {
  const activity = spansOf(spans, 'voice_activity');
  const begins = new Map(transcript.map(({ sequence, startUs }) => [sequence, startUs]));
  return turns.flatMap(({ startUs, user }) => {
    const beginUs = user?.sequence == null ? undefined : begins.get(user.sequence);
    const spoken = activity.findLast(({ fromUs, toUs }) => fromUs < startUs && toUs > (beginUs ?? startUs));
    if (spoken === undefined || startUs - spoken.toUs < LATE_WORDS_MS_MIN * 1000) return [];
    const cause = { type: 'speech_end_late', lateMs: (startUs - spoken.toUs) / 1000 } as const;
    return [{ rank: RANKS.turnEnd, fromUs: spoken.toUs, toUs: startUs, cause }];
  });
}

/** The time from the end of the user's speech to the end of their turn. */
function turnEndWaits(turn: TurnRecord, user: UserTurnRecord, spans: readonly CallSpan[]): readonly Wait[] {
  const fromUs = turn.startUs;
  const toUs = fromUs + user.endedMs * 1000;
  const wait = (cause: SilenceCause, from = fromUs, to = toUs) => [
    { rank: RANKS.turnEnd, fromUs: from, toUs: to, cause },
  ];
  switch (user.endedBy) {
    case 'provider':
    case 'provider_timeout':
      return wait({
        type: 'provider_turn_end',
        waitedMs: user.endedMs,
        isTimeout: user.endedBy === 'provider_timeout',
      });
    case 'pause':
    case 'acoustic_model':
      return pauseWaits(turn, user, spans, wait);
    case 'dtmf':
    case 'monologue_limit':
    case 'call_end':
    case 'other':
      return [];
  }
}

/** The pause that the words needed; after it the words came late. */
function pauseWaits(
  { startUs }: TurnRecord,
  { endedMs, reasons, score }: UserTurnRecord,
  spans: readonly CallSpan[],
  wait: (cause: SilenceCause, fromUs?: number, toUs?: number) => readonly Wait[],
): readonly Wait[] {
  const pauseMs = Math.min(endedMs, score === null ? 0 : pauseMsOf({ score }));
  const isOpen = pauseMs >= OPEN_PAUSE_MS_MIN;
  const pauseEndUs = startUs + pauseMs * 1000;
  const type = reasons.some((reason) => DICTATION_REASONS.has(reason)) ? 'dictation' : 'open_words';
  const open = isOpen ? wait({ type, waitedMs: pauseMs, score: score ?? 0, reasons }, startUs, pauseEndUs) : [];
  if (endedMs - pauseMs < LATE_WORDS_MS_MIN) return open;
  const endUs = startUs + endedMs * 1000;
  const sounds = spansOf(spans, 'voice_activity')
    .filter(({ fromUs, toUs }) => toUs > pauseEndUs && fromUs < endUs && fromUs >= startUs)
    .map(({ fromUs, toUs }) => ({
      rank: RANKS.sound,
      fromUs,
      toUs,
      cause: { type: 'no_words', speechMs: (toUs - fromUs) / 1000 } as const,
    }));
  const failure = spansOf(spans, 'transcriber_failure').find((span) => span.toUs > startUs && span.fromUs < endUs);
  const cause: SilenceCause =
    failure === undefined
      ? { type: 'transcriber_late', lateMs: endedMs }
      : { type: 'transcriber_failed', error: failure.error };
  const late = wait(cause, isOpen ? pauseEndUs : startUs);
  return [...open, ...sounds, ...late];
}

function toolWaits({ spans }: TimelineInput): readonly Wait[] {
  const speech = spansOf(spans, 'agent_speech');
  return spansOf(spans, 'tool').map(({ fromUs, name, toUs }) => ({
    rank: RANKS.tool,
    fromUs,
    toUs,
    cause: {
      type: 'tool',
      name,
      ranMs: (toUs - fromUs) / 1000,
      hasFiller: speech.some((heard) => heard.fromUs < toUs && heard.toUs > fromUs),
    },
  }));
}

/** Speech that no entry of the transcript has words of: the call waits until something else happens. */
function wordlessWaits({ spans, transcript, turns }: TimelineInput): readonly Wait[] {
  const said = transcript.filter(({ role }) => role === 'user');
  const speech = spansOf(spans, 'agent_speech');
  return spansOf(spans, 'voice_activity').flatMap(({ fromUs, toUs }) => {
    const hasWords = said.some((entry) => entry.startUs < toUs && (entry.endUs ?? entry.startUs) > fromUs);
    const isKnown = turns.some(({ startUs, user }) => user !== null && startUs >= fromUs && startUs <= toUs);
    if (hasWords || isKnown || toUs - fromUs < WORDLESS_MS_MIN * 1000) return [];
    const next = speech.find((stretch) => stretch.fromUs >= toUs)?.fromUs ?? Number.MAX_SAFE_INTEGER;
    const cause = { type: 'no_words', speechMs: (toUs - fromUs) / 1000 } as const;
    return [{ rank: RANKS.noWords, fromUs, toUs: next, cause }];
  });
}
