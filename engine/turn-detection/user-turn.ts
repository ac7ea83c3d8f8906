import type { CallEvent } from '../core/event.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { UserTurn } from '../core/state/user-turn-slice.ts';
import { SILENT_USER } from '../core/state/user-turn-slice.ts';
import { closeGapOnceCaughtUp } from '../current-providers/transcription-gap.ts';
import { wordSpans } from '../languages/words.ts';
import type { TranscribedWord } from '../ports/transcriber.ts';
import { writeUserEntry } from '../transcript/transcript.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { isAgentEcho } from './echo.ts';
import { tuneEndOfTurnThreshold } from './end-of-turn-threshold.ts';
import { measureFinalLatency } from './final-timeout.ts';
import { commitLongTurnPart } from './long-turn-parts.ts';

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
    case 'transcriber.speech':
      return null;
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
 * The first activity begins the turn, also where its words are not known yet when the next one comes: a stream that is lost
 * must hear all of it again. Words tell later whether that was another sound, and `forgetNoise` where none come.
 */
function withSpeechStart(step: RuleStep, userTurn: UserTurn, audioMs: number): UserTurn {
  const atUs = step.audioUs(audioMs);
  return { ...userTurn, startedUs: Math.min(userTurn.startedUs ?? atUs, atUs) };
}

type EventOf<T extends CallEvent['type']> = Extract<CallEvent, { readonly type: T }>;

function withInterim(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.interim'>): UserTurn | null {
  if (event.endMs <= userTurn.committedUntilMs) return null;
  const text = uncommittedText(userTurn, event);
  if (text === '') return userTurn.interim === null ? null : { ...userTurn, interim: null };
  const interim = { text, endMs: event.endMs };
  const committedWords = event.startMs < userTurn.committedUntilMs ? userTurn.committedWords : 0;
  // A stream that detected turns was lost on these words: they are heard again, as a segment.
  const heard: UserTurn = {
    ...userTurn,
    interim,
    providerTurn: null,
    committedWords: committedWords,
    endOfTurn: false,
    complete: false,
  };
  return withWordTimes(step, heard, event.startMs, event.endMs);
}

function withFinal(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.final'>): UserTurn {
  const fresh = event.endMs <= userTurn.committedUntilMs ? '' : uncommittedText(userTurn, event);
  const text = isAgentEcho(step.context, fresh, step.audioUs(event.startMs)) ? '' : fresh;
  const finalUntilMs = Math.max(userTurn.finalUntilMs, event.endMs);
  const providerTurn = fresh === '' ? userTurn.providerTurn : null;
  const heard: UserTurn = { ...userTurn, interim: null, providerTurn, committedWords: 0, finalUntilMs };
  if (text === '') return { ...heard, endOfTurn: userTurn.endOfTurn || event.endOfTurn };
  const endMs = event.words.at(-1)?.endMs ?? event.endMs;
  const startMs = event.words[0]?.startMs ?? event.startMs;
  return withWordTimes(
    step,
    {
      ...heard,
      finals: [...userTurn.finals, text],
      finalEndedUs: step.audioUs(endMs),
      endOfTurn: event.endOfTurn,
      complete: false,
    },
    startMs,
    endMs,
  );
}

interface Recognised {
  readonly text: string;
  readonly startMs: number;
  readonly words?: readonly TranscribedWord[];
}

/** Words of a turn that was taken without waiting for its final are not heard a second time. */
function uncommittedText(
  { committedUntilMs, committedWords }: UserTurn,
  { text, startMs, words = [] }: Recognised,
): string {
  if (committedWords === 0 || startMs >= committedUntilMs) return text.trim();
  if (words.length === 0)
    return text.slice(wordSpans(text)[committedWords - 1]?.end ?? text.length).replace(/^[^\p{L}\p{N}]+/u, '');
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
  const taken = ended
    ? endedProviderTurn(step, userTurn, providerTurn, event)
    : openProviderTurn(userTurn, providerTurn, event);
  // The other way round: what was heard as a segment is part of the turn.
  const turn = { ...taken, finalUntilMs, interim: text === '' ? userTurn.interim : null };
  return text === '' ? turn : withWordTimes(step, turn, event.startMs, event.endMs);
}

function openProviderTurn(userTurn: UserTurn, providerTurn: string | null, { startMs }: Recognised): UserTurn {
  const committedWords = startMs < userTurn.committedUntilMs ? userTurn.committedWords : 0;
  return { ...userTurn, providerTurn, committedWords: committedWords, endOfTurn: false, complete: false };
}

/** Its words are final. A turn that cannot be committed yet is followed by the words of the next one. */
function endedProviderTurn(
  step: RuleStep,
  userTurn: UserTurn,
  providerTurn: string | null,
  { startMs }: Recognised,
): UserTurn {
  const isNews = providerTurn !== null && !isAgentEcho(step.context, providerTurn, step.audioUs(startMs));
  const finals = isNews ? [...userTurn.finals, providerTurn] : userTurn.finals;
  return { ...userTurn, finals, providerTurn: null, committedWords: 0, endOfTurn: true, complete: finals.length > 0 };
}

/** Activity so long before the first word was another sound. */
const ACTIVITY_BEFORE_WORDS_MAX_US = 1_500_000;

function withWordTimes(step: RuleStep, userTurn: UserTurn, startMs: number, endMs: number): UserTurn {
  // What of a segment belongs to the turn before began before this one.
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

/** Begins the next turn. Voice activity goes on as it is. */
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

/** The same for a turn whose words were taken: what is still said of them later is not new. */
export function resetCommittedTurn(step: RuleStep): void {
  const committedUntilMs = committedUntil(step);
  const { interim, providerTurn, committedWords: before } = step.context.userTurn;
  const committedWords = before + wordSpans(interim?.text ?? providerTurn ?? '').length;
  resetUserTurn(step);
  step.change({
    userTurn: { ...step.context.userTurn, committedUntilMs, committedWords: committedWords, startedUs: null },
  });
}

/** Words that are the agent's own, heard again: their final, which would have told so, has not come. False: there are none. */
export function discardEchoInterim(step: RuleStep): boolean {
  const { userTurn } = step.context;
  const isOwn = isAgentEcho(step.context, userTurnText(userTurn), userTurn.startedUs ?? step.nowUs);
  if (userTurn.interim === null || !isOwn) return false;
  resetCommittedTurn(step);
  discardNoise(step);
  return true;
}

/**
 * A word belongs to the turn where it began before the end of the last word that was known when the turn was committed; ms of
 * user audio. Words that were still to come then are not lost: they are the next turn's.
 */
function committedUntil(step: RuleStep): number {
  const { userTurn } = step.context;
  const knownUs = userTurn.finalEndedUs ?? userTurn.endedUs ?? step.nowUs;
  return Math.max(userTurn.committedUntilMs, userTurn.interim?.endMs ?? (knownUs - step.time.audioEpochUs) / 1000);
}
