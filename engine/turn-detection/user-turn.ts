import type { CallEvent, WordsEvent } from '../core/event.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { SpeechSegment, SpeechTimeline } from '../core/state/speech-timeline.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../core/state/turn-detection-slice.ts';
import { rulesEndTurns, transcriberTraits, wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import { learnInterims } from '../current-providers/learnt-interims.ts';
import { closeGapOnceCaughtUp } from '../current-providers/transcription-gap.ts';
import { withoutEcho } from '../echo/echo-removal.ts';
import { rememberActivity } from '../echo/near-end-speech.ts';
import { isAnswerUnheard } from '../transcript/history.ts';
import { writeUserEntry } from '../transcript/transcript.ts';
import { userTurnLanguage, userTurnText } from '../transcript/user-turn-text.ts';
import {
  AMENDABLE_TURNS_MAX,
  committedCount,
  committedUntilMs,
  commitWords,
  openWords,
} from '../user-speech/commit-mark.ts';
import { revise, settle } from '../user-speech/speech-timeline.ts';
import { askEndOfTurnModel } from './acoustic-end.ts';
import { amendTurns } from './amend-turns.ts';
import { restoreLeftOutWords } from './background-speech.ts';
import { measureFinalLatency, shortSoundTimeoutMs } from './final-timeout.ts';
import { commitLongTurnPart } from './long-turn-parts.ts';
import { tuneEndOfTurnThreshold } from './provider-turn-threshold.ts';

/** Updates the user turn after an event of voice activity or of the transcriber. */
export function onUserSpeech(step: RuleStep): void {
  measureFinalLatency(step, step.context.userTurn);
  closeGapOnceCaughtUp(step);
  rememberActivity(step);
  restoreLeftOutWords(step);
  askEndOfTurnModel(step);
  learnInterims(step);
  const userTurn = nextUserTurn(step, step.event);
  if (userTurn === null) return;
  step.change({ userTurn });
  amendTurns(step);
  tuneEndOfTurnThreshold(step);
  if (step.event.type !== 'transcriber.final' && step.event.type !== 'transcriber.turn') return;
  commitLongTurnPart(step);
  // Until then the words may belong to the turn that is being answered, and to its entry.
  if (!isAnswerUnheard(step.context)) writeUserEntry(step);
}

function nextUserTurn(step: RuleStep, event: RuleStep['event']): UserTurn | null {
  const userTurn = step.context.userTurn;
  switch (event.type) {
    case 'media.speech_started':
      return withSpeechStart(step, { ...userTurn, speaking: true, endOfTurn: false, complete: false }, event.audioMs);
    case 'media.speech_stopped':
      return withSpeechEnd(userTurn, step.audioUs(event.audioMs));
    case 'transcriber.interim':
      return withWords(step, userTurn, withoutEcho(step, event), false);
    case 'transcriber.final':
      return withWords(step, userTurn, withoutEcho(step, event), true);
    case 'transcriber.utterance_end':
      return withUtteranceEnd(step, userTurn, event.lastWordEndMs);
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
  return { ...userTurn, startedUs: Math.min(userTurn.startedUs ?? atUs, atUs), activityStartedUs: atUs };
}

function withSpeechEnd(userTurn: UserTurn, endedUs: number): UserTurn {
  return { ...userTurn, speaking: false, endedUs, activityEndedUs: endedUs };
}

/**
 * The end of an utterance outweighs voice activity that was heard before the silence after its last word. It says
 * nothing about speech that began after that word.
 */
function withUtteranceEnd(step: RuleStep, userTurn: UserTurn, lastWordEndMs: number): UserTurn | null {
  const { activityStartedUs, speaking } = userTurn;
  const isNewSpeech = speaking && activityStartedUs !== null && activityStartedUs > step.audioUs(lastWordEndMs);
  return userTurnText(userTurn) === '' || isNewSpeech ? null : { ...userTurn, endOfTurn: true };
}

type EventOf<T extends CallEvent['type']> = Extract<CallEvent, { readonly type: T }>;

interface RevisedSpeech {
  readonly speech: SpeechTimeline;
  /** The revised segment, if it has words of the open turn. */
  readonly segment: SpeechSegment | null;
}

function revisedSpeech(
  step: RuleStep,
  { speech, startedUs }: UserTurn,
  event: WordsEvent,
  isFinal: boolean,
): RevisedSpeech {
  const { text, words = [], startMs, endMs } = event;
  const hearing = {
    activityStartMs: startedUs === null ? null : step.audioMsAt(startedUs),
    wordErrorMs: wordTimeErrorMs(transcriberTraits(step.context)),
  };
  const covered = 'coveredMs' in event && event.coveredMs !== undefined ? { coveredMs: event.coveredMs } : {};
  const revised = revise(speech, { text, words, startMs, endMs, isFinal, ...covered }, hearing);
  const segment = revised.segments.find(
    (candidate) => !speech.segments.includes(candidate) && candidate.text === text.trim(),
  );
  return { speech: revised, segment: segment !== undefined && openWords(segment).length > 0 ? segment : null };
}

function withWords(step: RuleStep, userTurn: UserTurn, event: WordsEvent, isFinal: boolean): UserTurn {
  const { speech, segment } = revisedSpeech(step, userTurn, event, isFinal);
  if (segment === null) return { ...userTurn, speech };
  return withWordTimes(step, { ...userTurn, speech, endOfTurn: false, complete: false }, segment, event);
}

function withProviderTurn(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.turn'>): UserTurn {
  if (event.phase === 'ended') return withEndedProviderTurn(step, userTurn, event);
  if (event.text.trim() === '') return { ...userTurn, endOfTurn: false, complete: false };
  return withWords(step, userTurn, withoutEcho(step, event), false);
}

/** The words of the turn are final. Until the turn is committed, words of the next one are appended. */
function withEndedProviderTurn(step: RuleStep, userTurn: UserTurn, event: EventOf<'transcriber.turn'>): UserTurn {
  if (event.text.trim() === '') {
    const settled = { ...userTurn, speech: settle(userTurn.speech, event.endMs) };
    return withProviderEnd(step, settled);
  }
  const own = withoutEcho(step, event);
  const { speech, segment } = revisedSpeech(step, userTurn, own, true);
  const turn = { ...userTurn, speech };
  if (segment !== null) return withWordTimes(step, withProviderEnd(step, turn), segment, own);
  return own.text === '' ? withProviderEnd(step, turn) : turn;
}

/** The provider's end of a turn completes it, unless the agent's rules decide: then only its words are final. */
function withProviderEnd(step: RuleStep, turn: UserTurn): UserTurn {
  if (rulesEndTurns(step.context)) return turn;
  const end = { by: 'provider' as const, score: null, reasons: [] };
  return { ...turn, endOfTurn: true, complete: userTurnText(turn) !== '', end };
}

/** Voice activity this long before the first word was another sound. */
const ACTIVITY_BEFORE_WORDS_US_MAX = 1_500_000;

function withWordTimes(step: RuleStep, userTurn: UserTurn, segment: SpeechSegment, event: WordsEvent): UserTurn {
  const { startMs, endMs, words } = segment;
  // The part of the words before the commit mark belongs to the committed turn.
  const committedMs = committedUntilMs(userTurn.speech);
  const startUs = step.audioUs(Math.max(words[committedCount(segment)]?.startMs ?? startMs, committedMs));
  const isFirst = userTurnText(step.context.userTurn) === '';
  const before = userTurn.startedUs ?? startUs;
  const isNoise = isFirst && startUs - before > ACTIVITY_BEFORE_WORDS_US_MAX;
  return {
    ...userTurn,
    language: event.language ?? userTurn.language,
    startedUs: isNoise ? startUs : Math.min(before, startUs),
    endedUs: Math.max(userTurn.endedUs ?? 0, step.audioUs(words.at(-1)?.endMs ?? endMs)),
  };
}

/** Starts the next turn; voice activity that continues belongs to it. */
export function resetUserTurn(step: RuleStep): void {
  const { speaking, speech, startedUs } = step.context.userTurn;
  step.change({
    acousticEnd: null,
    userTurn: { ...SILENT_USER, speaking, speech, startedUs: speaking ? startedUs : null },
  });
}

/** Starts the next turn after a reply. A sound that ended shortly before belongs to it: its words may still come. */
export function startTurnAfterReply(step: RuleStep): void {
  const { acousticEnd, finalLatenciesMs, userTurn } = step.context;
  const { activityEndedUs, activityStartedUs, speaking } = userTurn;
  resetUserTurn(step);
  const wordsMs = shortSoundTimeoutMs(transcriberTraits(step.context), finalLatenciesMs);
  if (speaking || activityEndedUs === null || step.nowUs - activityEndedUs >= wordsMs * 1000) return;
  const sound = { activityStartedUs, startedUs: activityStartedUs, activityEndedUs, endedUs: activityEndedUs };
  step.change({ acousticEnd, userTurn: { ...step.context.userTurn, ...sound } });
}

/** The sound had no words. Activity that continues counts as noise until it starts again. */
export function discardNoise(step: RuleStep): void {
  resetUserTurn(step);
  step.change({ userTurn: { ...step.context.userTurn, speaking: false, startedUs: null } });
}

/**
 * Moves the commit mark after all words of the turn, and starts the next one. Later events for these words change their
 * entry.
 *
 * @param item the turn's item in the history; null: it is not answered
 */
export function resetCommittedTurn(step: RuleStep, item: number | null): void {
  const { earlierTurns, lastTurn, userTurn } = step.context;
  const { activityEndedUs, endedUs, entry, overMonologueLimit, speaking, startedUs } = userTurn;
  const language = userTurnLanguage(step.context);
  resetUserTurn(step);
  if (entry === null) return;
  const toMs = (us: number | null) => (us === null ? null : step.audioMsAt(us));
  const activityEndMs = speaking || overMonologueLimit ? null : toMs(activityEndedUs);
  const commit = { entry: entry.sequence, activityStartMs: toMs(startedUs), activityEndMs };
  step.change({
    earlierTurns: [...earlierTurns, ...(lastTurn === null ? [] : [lastTurn])].slice(1 - AMENDABLE_TURNS_MAX),
    lastTurn: { entry, item, endUs: endedUs, text: userTurnText(userTurn) },
    userLanguage: language,
    userTurn: { ...step.context.userTurn, speech: commitWords(userTurn.speech, commit), startedUs: null },
  });
}
