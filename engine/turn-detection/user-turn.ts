import type { CallEvent } from '../core/event.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../core/state/turn-detection-slice.ts';
import { closeGapOnceCaughtUp } from '../current-providers/transcription-gap.ts';
import { wordSpans } from '../languages/words.ts';
import type { TranscribedWord } from '../ports/transcriber.ts';
import { writeUserEntry } from '../transcript/transcript.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { isAgentEcho } from './echo.ts';
import { measureFinalLatency } from './final-timeout.ts';
import { commitLongTurnPart } from './long-turn-parts.ts';
import { tuneEndOfTurnThreshold } from './provider-turn-threshold.ts';

/** Updates the user turn after an event of voice activity or of the transcriber. */
export function onUserSpeech(step: RuleStep): void {
  closeGapOnceCaughtUp(step);
  measureFinalLatency(step, step.context.userTurn);
  const userTurn = nextUserTurn(step, step.event);
  if (userTurn === null) return;
  step.change({ userTurn: userTurn });
  tuneEndOfTurnThreshold(step);
  if (step.event.type !== 'transcriber.final' && step.event.type !== 'transcriber.turn') return;
  commitLongTurnPart(step);
  writeUserEntry(step);
}

function nextUserTurn(step: RuleStep, event: RuleStep['event']): UserTurn | null {
  const userTurn = step.context.userTurn;
  switch (event.type) {
    case 'media.speech_started':
      return withSpeechStart(step, { ...userTurn, speaking: true, endOfTurn: false, complete: false }, event.audioMs);
    case 'media.speech_stopped':
      return { ...userTurn, speaking: false, endedUs: step.audioUs(event.audioMs) };
    case 'transcriber.interim':
      return withInterim(step, userTurn, event);
    case 'transcriber.final':
      return withFinal(step, userTurn, event);
    case 'transcriber.utterance_end':
      return userTurnText(userTurn) === '' ? null : { ...userTurn, endOfTurn: true };
    case 'transcriber.turn':
      return withProviderTurn(step, userTurn, event);
    default:
      return null;
  }
}

/**
 * The turn starts with the first voice activity, even if its words are not known when the next activity starts: a new
 * stream gets all of it again. If that was another sound, `withWordTimes` moves the start, or `discardNoise` removes
 * it.
 */
function withSpeechStart(step: RuleStep, userTurn: UserTurn, audioMs: number): UserTurn {
  const atUs = step.audioUs(audioMs);
  return { ...userTurn, startedUs: Math.min(userTurn.startedUs ?? atUs, atUs) };
}

type EventOf<T extends CallEvent['type']> = Extract<CallEvent, { readonly type: T }>;

function withInterim(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.interim'>): UserTurn | null {
  if (event.endMs <= userTurn.committedUntilMs) return null;
  const text = uncommittedText(userTurn, event);
  if (text === '') return { ...userTurn, interim: null };
  const interim = { text, endMs: event.endMs };
  const committedWords = event.startMs < userTurn.committedUntilMs ? userTurn.committedWords : 0;
  // The stream of the provider turn was lost; a stream without turn detection transcribes its words again.
  const updated: UserTurn = {
    ...userTurn,
    interim,
    providerTurn: null,
    committedWords,
    endOfTurn: false,
    complete: false,
  };
  return withWordTimes(step, updated, event.startMs, event.endMs);
}

function withFinal(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.final'>): UserTurn {
  const fresh = event.endMs <= userTurn.committedUntilMs ? '' : uncommittedText(userTurn, event);
  const text = isAgentEcho(step.context, fresh, step.audioUs(event.startMs)) ? '' : fresh;
  const finalUntilMs = Math.max(userTurn.finalUntilMs, event.endMs);
  const providerTurn = fresh === '' ? userTurn.providerTurn : null;
  const updated: UserTurn = { ...userTurn, interim: null, providerTurn, committedWords: 0, finalUntilMs };
  if (text === '') return { ...updated, endOfTurn: userTurn.endOfTurn || event.endOfTurn };
  const endMs = event.words.at(-1)?.endMs ?? event.endMs;
  const startMs = event.words[0]?.startMs ?? event.startMs;
  return withWordTimes(
    step,
    {
      ...updated,
      finals: [...userTurn.finals, text],
      finalEndedUs: step.audioUs(endMs),
      endOfTurn: event.endOfTurn,
      complete: false,
    },
    startMs,
    endMs,
  );
}

interface TranscribedText {
  readonly text: string;
  readonly startMs: number;
  readonly words?: readonly TranscribedWord[];
}

/** The text without the words of a turn that was committed before its final arrived. */
function uncommittedText(
  { committedUntilMs, committedWords }: UserTurn,
  { text, startMs, words = [] }: TranscribedText,
): string {
  if (committedWords === 0 || startMs >= committedUntilMs) return text.trim();
  if (words.length === 0) {
    const next = wordSpans(text)[committedWords];
    return next === undefined ? '' : text.slice(next.end - next.word.length);
  }
  return words
    .filter((word) => word.startMs >= committedUntilMs)
    .map((word) => word.text)
    .join(' ');
}

function withProviderTurn(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.turn'>): UserTurn | null {
  const isOld = userTurn.committedWords === 0 && event.endMs <= userTurn.committedUntilMs;
  if (isOld && event.text.trim() !== '') return null;
  const text = uncommittedText(userTurn, event);
  const providerTurn = text === '' ? userTurn.providerTurn : text;
  const ended = event.phase === 'ended';
  const finalUntilMs = ended ? Math.max(userTurn.finalUntilMs, event.endMs) : userTurn.finalUntilMs;
  const next = ended
    ? endedProviderTurn(step, userTurn, providerTurn, event)
    : openProviderTurn(userTurn, providerTurn, event);
  // After a failover to a transcriber that detects turns, the words of the interim are part of the provider turn.
  const turn = { ...next, finalUntilMs, interim: text === '' ? userTurn.interim : null };
  return text === '' ? turn : withWordTimes(step, turn, event.startMs, event.endMs);
}

function openProviderTurn(userTurn: UserTurn, providerTurn: string | null, { startMs }: TranscribedText): UserTurn {
  const committedWords = startMs < userTurn.committedUntilMs ? userTurn.committedWords : 0;
  return { ...userTurn, providerTurn, committedWords, endOfTurn: false, complete: false };
}

/** The provider turn ends: its words are final. Until the turn is committed, words of the next one are appended. */
function endedProviderTurn(
  step: RuleStep,
  userTurn: UserTurn,
  providerTurn: string | null,
  { startMs }: TranscribedText,
): UserTurn {
  const isNews = providerTurn !== null && !isAgentEcho(step.context, providerTurn, step.audioUs(startMs));
  const finals = isNews ? [...userTurn.finals, providerTurn] : userTurn.finals;
  return { ...userTurn, finals, providerTurn: null, committedWords: 0, endOfTurn: true, complete: finals.length > 0 };
}

/** Voice activity this long before the first word was another sound. */
const ACTIVITY_BEFORE_WORDS_MAX_US = 1_500_000;

function withWordTimes(step: RuleStep, userTurn: UserTurn, startMs: number, endMs: number): UserTurn {
  // The part of the words before this position belongs to the committed turn.
  const startUs = step.audioUs(Math.max(startMs, userTurn.committedUntilMs));
  const isFirst = userTurnText(step.context.userTurn) === '';
  const before = userTurn.startedUs ?? startUs;
  const isNoise = isFirst && startUs - before > ACTIVITY_BEFORE_WORDS_MAX_US;
  return {
    ...userTurn,
    startedUs: isNoise ? startUs : Math.min(before, startUs),
    endedUs: Math.max(userTurn.endedUs ?? 0, step.audioUs(endMs)),
  };
}

/** Starts the next turn; voice activity that continues belongs to it. */
export function resetUserTurn(step: RuleStep): void {
  const { speaking, committedUntilMs, committedWords, finalUntilMs, startedUs } = step.context.userTurn;
  step.change({
    userTurn: {
      ...SILENT_USER,
      speaking,
      committedUntilMs,
      committedWords,
      finalUntilMs,
      startedUs: speaking ? startedUs : null,
    },
  });
}

/** The sound had no words. Activity that continues counts as noise until it starts again. */
export function discardNoise(step: RuleStep): void {
  resetUserTurn(step);
  step.change({ userTurn: { ...step.context.userTurn, speaking: false, startedUs: null } });
}

/** Starts the next turn after a commit: later events for the committed words add nothing to it. */
export function resetCommittedTurn(step: RuleStep): void {
  const committedUntilMs = committedUntil(step);
  const { interim, providerTurn, committedWords: before } = step.context.userTurn;
  const committedWords = before + wordSpans(interim?.text ?? providerTurn ?? '').length;
  resetUserTurn(step);
  step.change({
    userTurn: { ...step.context.userTurn, committedUntilMs, committedWords, startedUs: null },
  });
}

/** Discards an interim that is the agent's echo, before its final would show it; false if there is none. */
export function discardEchoInterim(step: RuleStep): boolean {
  const { userTurn } = step.context;
  const isEcho = isAgentEcho(step.context, userTurnText(userTurn), userTurn.startedUs ?? step.nowUs);
  if (userTurn.interim === null || !isEcho) return false;
  resetCommittedTurn(step);
  discardNoise(step);
  return true;
}

/**
 * Position in the user's audio, in ms, before which words belong to the committed turn: the end of its last known word.
 * Words that begin later are not lost: they belong to the next turn.
 */
function committedUntil(step: RuleStep): number {
  const { userTurn } = step.context;
  const knownUs = userTurn.finalEndedUs ?? userTurn.endedUs ?? step.nowUs;
  return Math.max(userTurn.committedUntilMs, userTurn.interim?.endMs ?? (knownUs - step.time.audioEpochUs) / 1000);
}
