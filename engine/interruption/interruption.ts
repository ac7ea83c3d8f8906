import type { CallContext } from '../core/context.ts';
import { isReplyAudible, isReplyPlayed } from '../core/reply-progress.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Interruption } from '../core/state/interruption-slice.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { transcriberTraits } from '../current-providers/current-transcriber.ts';
import { asksNothing } from '../languages/asks-nothing.ts';
import { isBackchannel } from '../languages/backchannel.ts';
import { languagePack } from '../languages/language-packs.ts';
import { countInTurn } from '../metrics/conversation-metrics.ts';
import { SPEECH_STOP_LATENESS_MS } from '../ports/media.ts';
import { userTurnLanguage, userTurnWords } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import {
  interruptingWords,
  interruptingWordsMs,
  isInterruption,
  isStopWord,
  mayBecomeCourtesy,
} from './interrupting-words.ts';
import { SENSITIVITY } from './sensitivity.ts';
import { endedBeforeReply } from './words-before-reply.ts';

/** A sound without words pauses the agent for at most this. */
const PAUSE_MS_MAX = 600;
/** Speech whose words a transcriber without interims reports after its end pauses the agent for at most this. */
const UNREPORTED_SPEECH_MS_MAX = 6_000;
/** Before the agent's speech, a sound without words delays it by at most this. */
const DELAY_MS_MAX = 2_000;
/** Added to the transcriber's latency: how long words may take after a sound has stopped. */
const WORDS_SLACK_MS = 100;
/** After this many false interruptions of a reply, only words pause it: the line is noisy. */
const FALSE_PAUSES_MAX = 2;

/** Decides whether the user interrupts. Runs in every step of the agent's turn. */
export function evaluateInterruption(step: RuleStep): void {
  // Before the answer is heard, the user does not interrupt it: their turn goes on.
  if (step.context.reply?.pending != null) return;
  if (!isInterruptible(step.context)) {
    rejectPause(step);
    return;
  }
  recountWordsBefore(step);
  passLateWords(step);
  followSpeech(step);
  decide(step);
}

/**
 * A reply that hangs up or transfers waits for the words of a sound that began before its end, and for the next ones
 * if those that are known may still interrupt.
 */
export function waitAtEnd(step: RuleStep): void {
  const { interruption, reply } = step.context;
  if (!isInterruptible(step.context)) return;
  const isUndecided =
    interruption?.status === 'suspected' || (interruption?.status === 'resumed' && mayStillInterrupt(step.context));
  if (!isUndecided || wordsLeftMs(step, interruption) <= 0) return;
  if (reply === null || reply.followUp.type === 'listen' || !isReplyPlayed(reply)) return;
  pause(step, interruption);
  decide(step);
}

function followSpeech(step: RuleStep): void {
  const { interruption } = step.context;
  const { event } = step;
  if (event.type === 'media.speech_lasted') {
    if (isEnoughToPause(step, event.lastedMs)) pauseForSpeech(step, event.audioMs);
    rememberLength(step, event.audioMs + event.lastedMs);
    waitForUnreportedSpeech(step, event.lastedMs);
  } else if (interruption === null || interruption.status === 'resumed') {
    if (isNewSpeech(step)) suspect(step);
  } else if (event.type === 'media.speech_stopped') {
    step.change({ interruption: { ...interruption, stoppedUs: step.audioUs(event.audioMs) } });
  } else if (event.type === 'media.speech_started') {
    if (interruption.status === 'suspected' && wordsLeftMs(step, interruption) <= 0) suspect(step);
    else step.change({ interruption: { ...interruption, stoppedUs: null } });
  }
}

/** The user was speaking when the first packet of the answer left, and its playback is paused. */
export function interruptBySpeech(step: RuleStep): void {
  suspect(step);
  const { interruption } = step.context;
  if (interruption !== null) pause(step, interruption);
  decide(step);
}

/** The words before the interruption can become fewer: some were the agent's echo, or were transcribed differently. */
function recountWordsBefore(step: RuleStep): void {
  const { interruption, userTurn } = step.context;
  const words = userTurnWords(userTurn).length;
  if (interruption === null || interruption.wordsBefore <= words) return;
  step.change({ interruption: { ...interruption, wordsBefore: words } });
}

/** Words that ended before the reply do not belong to a sound during it. */
function passLateWords(step: RuleStep): void {
  const { interruption, userTurn } = step.context;
  if (interruption === null || !endedBeforeReply(step)) return;
  step.change({ interruption: { ...interruption, wordsBefore: userTurnWords(userTurn).length } });
}

/** The reply can no longer be interrupted: paused playback resumes. */
export function makeUninterruptible(step: RuleStep): void {
  const { reply } = step.context;
  if (reply !== null) step.change({ reply: { ...reply, interruptible: false } });
  rejectPause(step);
}

/** Playback that is paused resumes. */
function rejectPause(step: RuleStep): void {
  const { interruption } = step.context;
  if (interruption?.status === 'tentative') decideAs(step, interruption, 'rejected');
}

export function isInterruptible({ agent, reply }: CallContext): boolean {
  return agent.interruptions && reply !== null && isSpeechInterruptible(reply);
}

/** Decided by the segment that is heard, or the next one. */
export function isSpeechInterruptible({ interruptible, segments }: Reply): boolean {
  return interruptible && segments.find(({ ended }) => !ended)?.interruptible !== false;
}

/** Speech begins, or words arrive without voice activity. */
function isNewSpeech(step: RuleStep): boolean {
  const { event } = step;
  switch (event.type) {
    case 'media.speech_started':
      return true;
    case 'transcriber.interim':
    case 'transcriber.final':
    case 'transcriber.turn':
      return interruptingWords(step.context).length > 0 && !endedBeforeReply(step);
    default:
      return false;
  }
}

function suspect(step: RuleStep): void {
  const { userTurn } = step.context;
  const byActivity = step.event.type === 'media.speech_started';
  const interruption: Interruption = {
    status: 'suspected',
    startedUs: soundStartUs(step),
    // The delay of the words does not count as speech.
    stoppedUs: userTurn.speaking ? null : (userTurn.endedUs ?? step.nowUs),
    lastedUntilUs: null,
    pausedUntilUs: null,
    wordsBefore: byActivity ? userTurnWords(userTurn).length : (step.context.interruption?.wordsBefore ?? 0),
    playedMs: null,
  };
  step.change({ interruption });
  if (byActivity && isReplyAudible(step.context)) countInTurn(step, 'ducked');
  // A pause before the agent's speech is not heard.
  if (byActivity && !isReplyAudible(step.context)) pause(step, interruption);
}

/** When the voice activity of this step began, or the words that came without one. Earlier words do not count. */
function soundStartUs(step: RuleStep): number {
  const { event, nowUs } = step;
  const { echo, userTurn } = step.context;
  if (event.type === 'media.speech_started') return step.audioUs(event.audioMs);
  const activity = echo.activity.at(-1);
  if (userTurn.speaking && activity?.untilUs === null) return activity.fromUs;
  if (userTurn.startedUs === null) return nowUs;
  return 'startMs' in event ? Math.max(userTurn.startedUs, step.audioUs(event.startMs)) : userTurn.startedUs;
}

function rememberLength(step: RuleStep, audioMs: number): void {
  const { interruption } = step.context;
  if (interruption !== null) step.change({ interruption: { ...interruption, lastedUntilUs: step.audioUs(audioMs) } });
}

function isEnoughToPause({ context }: RuleStep, lastedMs: number): boolean {
  const { agent, interruption, reply } = context;
  if (lastedMs !== SENSITIVITY[agent.interruptions_sensitivity].speechMs) return false;
  // The next speech after a pause may have begun before its end.
  const isNext = interruption?.status === 'resumed' && sendsNoInterims(context);
  return (
    (interruption === null || interruption.status === 'suspected' || isNext) &&
    (reply?.falsePauses ?? 0) < FALSE_PAUSES_MAX &&
    !isBackchannelOnly(context)
  );
}

/**
 * All words of the sound that are known so far are backchannels, which do not pause audible speech: interims show a word
 * after them in time.
 */
function isBackchannelOnly(context: CallContext): boolean {
  const words = interruptingWords(context);
  return (
    words.length > 0 &&
    !sendsNoInterims(context) &&
    isReplyAudible(context) &&
    !SENSITIVITY[context.agent.interruptions_sensitivity].backchannels &&
    isBackchannel(words, languagePack(userTurnLanguage(context)))
  );
}

function pauseForSpeech(step: RuleStep, audioMs: number): void {
  const { interruption, userTurn } = step.context;
  const suspected: Interruption = {
    status: 'suspected',
    startedUs: step.audioUs(audioMs),
    stoppedUs: null,
    lastedUntilUs: null,
    pausedUntilUs: null,
    wordsBefore: userTurnWords(userTurn).length,
    playedMs: null,
  };
  pause(step, interruption?.status === 'suspected' ? interruption : suspected);
}

/** The pause lasts until the words of this speech are known, or its bound. */
function waitForUnreportedSpeech(step: RuleStep, lastedMs: number): void {
  const { agent, interruption } = step.context;
  if (interruption?.status !== 'tentative' || interruption.pausedUntilUs === null || !sendsNoInterims(step.context))
    return;
  if (lastedMs !== SENSITIVITY[agent.interruptions_sensitivity].goesOnMs) return;
  const pausedUntilUs = step.nowUs + UNREPORTED_SPEECH_MS_MAX * 1000;
  step.change({ interruption: { ...interruption, pausedUntilUs } });
}

function sendsNoInterims({ failover }: CallContext): boolean {
  return failover.transcriber.sendsInterims === false;
}

function pause(step: RuleStep, interruption: Interruption): void {
  const pauseMsMax = isReplyAudible(step.context) ? PAUSE_MS_MAX : DELAY_MS_MAX;
  const pausedUntilUs = step.nowUs + pauseMsMax * 1000;
  step.change({ interruption: { ...interruption, status: 'tentative', pausedUntilUs } });
}

function decide(step: RuleStep): void {
  const { interruption } = step.context;
  if (interruption?.status !== 'tentative' && interruption?.status !== 'suspected') return;
  const language = languagePack(userTurnLanguage(step.context));
  const words = interruptingWords(step.context);
  const isStop = isStopWord(step, words, language);
  if (isStop || (!isCourtesyInSilence(step.context, words) && isInterruption(step, words, language))) {
    const { speechMs } = SENSITIVITY[step.context.agent.interruptions_sensitivity];
    const missingMs = isStop ? 0 : speechMs - spokenMs(step, interruption);
    // The next revision of the words decides.
    const isOpen = mayBecomeCourtesy(step.context, words, language);
    if (missingMs <= 0 && !isOpen) {
      decideAs(step, interruption, 'confirmed');
      return;
    }
    // Speech that has stopped does not get longer, but its words may still change.
    const mayConfirm = isOpen || interruption.stoppedUs === null;
    // Without time left, playback goes on: a rejection would end the suspicion.
    if (mayConfirm && interruption.status === 'suspected' && wordsLeftMs(step, interruption) > 0)
      pause(step, interruption);
    if (mayConfirm && !isOpen) {
      step.startTimer('interruption', Math.ceil(missingMs));
      return;
    }
  }
  rejectInTime(step);
}

/** «Um» and «thank you» do not cancel an answer that the user waits for. */
function isCourtesyInSilence(context: CallContext, words: readonly string[]): boolean {
  if (isReplyAudible(context) || SENSITIVITY[context.agent.interruptions_sensitivity].backchannels) return false;
  return asksNothing(words, userTurnLanguage(context));
}

function rejectInTime(step: RuleStep): void {
  const { interruption, userTurn } = step.context;
  if (interruption?.status !== 'tentative') return;
  // The final has arrived and does not interrupt.
  const isHeard =
    interruption.stoppedUs !== null && interruptingWords(step.context).length > 0 && !hasChangingWords(userTurn.speech);
  const pauseLeftMs = ((interruption.pausedUntilUs ?? step.nowUs) - step.nowUs) / 1000;
  const leftMs =
    isHeard || isBackchannelOnly(step.context) ? 0 : Math.min(pauseLeftMs, wordsLeftMs(step, interruption));
  if (leftMs <= 0) decideAs(step, interruption, 'rejected');
  else step.startTimer('interruption', Math.ceil(leftMs));
}

/** How much longer words of the sound may still arrive; infinite while it goes on. */
function wordsLeftMs(step: RuleStep, { stoppedUs }: Interruption): number {
  if (stoppedUs === null) return Number.POSITIVE_INFINITY;
  const silentMs = (step.nowUs - stoppedUs) / 1000;
  return finalMsMax(step.context) + WORDS_SLACK_MS - silentMs;
}

/** Latency of finals. Without interims, only the final shows whether the sound had words, so the engine waits for it. */
function finalMsMax(context: CallContext): number {
  const { finalP99Ms } = transcriberTraits(context);
  return sendsNoInterims(context) ? Math.max(finalP99Ms, ...context.finalLatenciesMs) : finalP99Ms;
}

function decideAs(step: RuleStep, interruption: Interruption, status: 'confirmed' | 'rejected'): void {
  const { userTurn } = step.context;
  step.stopTimer('interruption');
  // A backchannel of an interim may still become another word, which interrupts; «No» may also stay as it is.
  const mayChange = status === 'rejected' && hasChangingWords(userTurn.speech) && mayStillInterrupt(step.context);
  const wordsBefore = mayChange ? interruption.wordsBefore : userTurnWords(userTurn).length;
  step.change({ interruption: { ...interruption, status, wordsBefore } });
}

function mayStillInterrupt(context: CallContext): boolean {
  const language = languagePack(userTurnLanguage(context));
  return isBackchannelOnly(context) || mayBecomeCourtesy(context, interruptingWords(context), language);
}

/**
 * How long the user has spoken for certain: speech that goes on may have stopped already. Voice activity misses parts of soft
 * or noisy speech: the words of the transcriber may have lasted longer.
 */
function spokenMs(step: RuleStep, { lastedUntilUs, startedUs, stoppedUs }: Interruption): number {
  const untilUs = stoppedUs ?? Math.max(lastedUntilUs ?? 0, step.nowUs - SPEECH_STOP_LATENESS_MS * 1000);
  return Math.max((untilUs - startedUs) / 1000, interruptingWordsMs(step));
}

export function isInterruptionTentative({ interruption }: CallContext): boolean {
  return interruption?.status === 'tentative';
}

export function isInterruptionConfirmed({ interruption }: CallContext): boolean {
  return interruption?.status === 'confirmed';
}

export function isInterruptionRejected({ interruption }: CallContext): boolean {
  return interruption?.status === 'rejected';
}
