import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallContext, Interruption } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { type SpokenLanguage, spokenLanguage } from '../languages/languages.ts';
import { consistsOf, holdsPhrase } from '../languages/phrases.ts';
import { transcriberTraits } from '../provider-choice/transcriber-gap.ts';
import { isEcho } from '../turn-detection/echo.ts';
import { turnWords } from '../turn-detection/turn-text.ts';

/**
 * How much speech takes the floor from the agent. A tentative interruption holds the playout at once; words confirm it,
 * silence undoes it.
 */
const SENSITIVITY = {
  high: { speechMs: 200, words: 1, backchannels: true },
  medium: { speechMs: 500, words: 1, backchannels: false },
  low: { speechMs: 800, words: 3, backchannels: false },
} as const satisfies Record<AgentConfiguration['interruptions_sensitivity'], unknown>;

/** A sound with no word in it holds the agent no longer than this. */
const TENTATIVE_MAX_MS = 2_000;
/** After the sound has stopped, its words may take as long as the transcriber does, and this. */
const WORDS_SLACK_MS = 100;
/** What is said so shortly before the agent's end answers it, however small the word. */
const LATE_ANSWER_MS = 1_500;

/** Judges anew whether the caller takes the floor. Part of every step in which the agent has it. */
export function judgeInterruption(step: Step): void {
  if (!mayInterrupt(step.context)) return;
  forgetLostWords(step);
  const { interruption } = step.context;
  if (interruption === null || interruption.verdict === 'over') {
    if (soundsNew(step)) begin(step);
  } else if (step.event.type === 'media.speech_stopped') {
    step.change({ interruption: { ...interruption, stoppedUs: step.nowUs } });
  } else if (step.event.type === 'media.speech_started') {
    step.change({ interruption: { ...interruption, stoppedUs: null } });
  }
  decide(step);
}

/** Words that came before can be fewer now: they were the agent's own, or have become others. */
function forgetLostWords(step: Step): void {
  const { interruption, caller } = step.context;
  const words = turnWords(caller).length;
  if (interruption === null || interruption.wordsBefore <= words) return;
  step.change({ interruption: { ...interruption, wordsBefore: words } });
}

/** Nobody can take the floor from this reply any more: a playout that is held goes on. */
export function keepFloor(step: Step): void {
  const { reply, interruption } = step.context;
  if (reply !== null) step.change({ reply: { ...reply, interruptible: false } });
  if (interruption?.verdict === 'open') settle(step, interruption, 'undone');
}

export function mayInterrupt(context: CallContext): boolean {
  return context.agent.interruptions && context.reply?.interruptible === true;
}

/** The playout is held, or to be cut, for words that are there. */
export function wordsMayInterrupt(context: CallContext): boolean {
  const verdict = context.interruption?.verdict;
  return (verdict === 'open' || verdict === 'confirmed') && newWords(context).length > 0;
}

/** Speech that begins, or words where the local activity was missed. */
function soundsNew(step: Step): boolean {
  switch (step.event.type) {
    case 'media.speech_started':
      return true;
    case 'transcriber.interim':
    case 'transcriber.final':
    case 'transcriber.turn':
      return newWords(step.context).length > 0;
    default:
      return false;
  }
}

function begin(step: Step): void {
  const { caller } = step.context;
  const byActivity = step.event.type === 'media.speech_started';
  const interruption: Interruption = {
    verdict: 'open',
    startedUs:
      step.event.type === 'media.speech_started' ? step.audioUs(step.event.audioMs) : (caller.startedUs ?? step.nowUs),
    stoppedUs: caller.speaking ? null : step.nowUs,
    wordsBefore: byActivity ? turnWords(caller).length : (step.context.interruption?.wordsBefore ?? 0),
    playedMs: null,
  };
  step.change({ interruption });
}

function decide(step: Step): void {
  const { interruption } = step.context;
  if (interruption?.verdict !== 'open') return;
  const language = spokenLanguage(step.context.agent.language);
  const words = newWords(step.context);
  if (alwaysStops(step.context, words, language)) {
    settle(step, interruption, 'confirmed');
    return;
  }
  if (takesFloor(step.context, words, language)) {
    const missingMs = SENSITIVITY[step.context.agent.interruptions_sensitivity].speechMs - spokenMs(step, interruption);
    if (missingMs <= 0) {
      settle(step, interruption, 'confirmed');
      return;
    }
    // Speech that has stopped grows no longer; its words can still become others.
    if (interruption.stoppedUs === null) {
      step.startTimer('interruption', Math.ceil(missingMs));
      return;
    }
  }
  const leftMs = patienceMs(step, interruption, words.length > 0);
  if (leftMs <= 0) settle(step, interruption, 'undone');
  else step.startTimer('interruption', Math.ceil(leftMs));
}

/** How much longer the playout is held for words that may still come. */
function patienceMs(step: Step, interruption: Interruption, hasWords: boolean): number {
  const heldMs = (step.nowUs - interruption.startedUs) / 1000;
  if (interruption.stoppedUs === null) return TENTATIVE_MAX_MS - heldMs;
  // The final is there, and it was not enough.
  if (hasWords && step.context.caller.interim === null) return 0;
  const silentMs = (step.nowUs - interruption.stoppedUs) / 1000;
  return transcriberTraits(step.context).finalP99Ms + WORDS_SLACK_MS - silentMs;
}

function settle(step: Step, interruption: Interruption, verdict: 'confirmed' | 'undone'): void {
  step.stopTimer('interruption');
  step.change({ interruption: { ...interruption, verdict, wordsBefore: turnWords(step.context.caller).length } });
}

function spokenMs(step: Step, interruption: Interruption): number {
  return ((interruption.stoppedUs ?? step.nowUs) - interruption.startedUs) / 1000;
}

function newWords(context: CallContext): readonly string[] {
  return turnWords(context.caller).slice(context.interruption?.wordsBefore ?? 0);
}

/** «Stop» needs no length. */
function alwaysStops(context: CallContext, words: readonly string[], language: SpokenLanguage): boolean {
  const isStop = holdsPhrase(words, language.stops) && !isBackchannel(words, language);
  return isStop && !isFarewellNow(context, words, language) && !isEcho(context, words);
}

function takesFloor(context: CallContext, words: readonly string[], language: SpokenLanguage): boolean {
  if (isEcho(context, words)) return false;
  const needed = SENSITIVITY[context.agent.interruptions_sensitivity];
  if (isFarewellNow(context, words, language)) return false;
  if (!needed.backchannels && isBackchannel(words, language)) return false;
  return words.length >= needed.words;
}

export function isBackchannel(words: readonly string[], language: SpokenLanguage): boolean {
  return consistsOf(words, language.backchannels);
}

/** Said over the agent's goodbye, with whatever shows that one listens. */
function isFarewellNow({ reply }: CallContext, words: readonly string[], language: SpokenLanguage): boolean {
  if (reply?.after.type !== 'end') return false;
  return consistsOf(words, new Set([...language.farewells, ...language.backchannels]));
}

/**
 * Words that the caller said while the agent spoke and that did not take the floor: true where they are to be answered
 * once the agent has finished. Backchannels are not, unless they came so late that they are the answer.
 */
export function answersAfterwards(context: CallContext, nowUs: number): boolean {
  const words = turnWords(context.caller);
  if (words.length === 0) return false;
  const language = spokenLanguage(context.agent.language);
  if (!isBackchannel(words, language)) return true;
  return nowUs - (context.caller.endedUs ?? 0) <= LATE_ANSWER_MS * 1000;
}
