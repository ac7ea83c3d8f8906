import { type AudioClock, audioTimeUs } from '../core/audio-clock.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import {
  finalTimeoutMs,
  firstWordsTimeoutMs,
  missingWordsTimeoutMs,
  shortSoundTimeoutMs,
  WORDLESS_SPEECH_MS,
} from './final-timeout.ts';
import { areWordsMissing } from './missing-words.ts';
import type { NewWords } from './new-words.ts';

/** A sound without words is discarded this long after the timeout of its final. */
const NOISE_SLACK_MS = 200;
/** Voice activity that continues for this long after the last final word is not speech of the user. */
const ACTIVITY_AFTER_FINAL_MS_MAX = 2_500;
/** The same bound while words may still change, or while the transcriber detects the end of turn. */
export const UNSTABLE_WORDS_MS_MAX = 5_000;
/** Voice activity without any word for this long is noise; a transcriber without interims reports its words after it. */
const NOISE_MS_MAX = 10_000;
/**
 * A user who waits for an answer hears it, or a filler, by then: a sound without words withholds it no longer. In ms from the
 * last new word, or from the agent's last sound.
 */
const WITHHELD_MS_MAX = 4_000;
/** A transcriber with interims has sent one this long after the start of speech, in ms: its shortest words, and the network. */
const FIRST_INTERIM_MS_MAX = 1_000;
/** A shorter sound is a cough, or a word whose final is as fast as any. It pauses the agent at no sensitivity but `high`. */
export const SHORT_SOUND_MS = 500;

/**
 * The bounds of every wait for the end of a turn with words, in ms from the end of the last new one, whatever follows it:
 * `soundsMs` if the transcriber sends interims; `mostMs` otherwise, as the words of long speech come only after its end.
 * Without a word the turn is noise `mostMs` after the sound's start. They follow from the bounds above; a property checks it.
 */
export const ENDPOINT_BOUNDS = {
  soundsMs: ACTIVITY_AFTER_FINAL_MS_MAX + UNSTABLE_WORDS_MS_MAX,
  mostMs: ACTIVITY_AFTER_FINAL_MS_MAX + NOISE_MS_MAX,
} as const;

export interface EndpointInput {
  readonly userTurn: UserTurn;
  readonly traits: TranscriberTraits;
  /** Latencies of this call's finals, the latest last. */
  readonly finalLatenciesMs: readonly number[];
  /** Whether the transcriber sends words before their final; null: not known. */
  readonly sendsInterims: boolean | null;
  /** The transcriber decides when the turn ends. */
  readonly providerEndsTurns: boolean;
  /** A voice in the background speaks: no final comes while it goes on right after the user's words. */
  readonly hearsBackground: boolean;
  /** A sound does not hold the turn; repetitions and attention calls after these words do not hold it either. */
  readonly newWords: () => NewWords;
  /** The turn had ended with these words, and is only open because of a sound since then. */
  readonly hadEnded: boolean;
  /** The end of the agent's last sound, engine time. */
  readonly agentSoundUs: number;
  /** The silence that ends a turn with these words, by their completeness. */
  readonly pauseMs: number;
  readonly nowUs: number;
  readonly audioClock: AudioClock;
}

/** The time in ms after which the user's turn ends if nothing more is heard. Every wait is bounded. */
export function endpointDelayMs(input: EndpointInput): number {
  const { userTurn, traits, pauseMs, nowUs } = input;
  const soundUs = userTurn.speaking ? (userTurn.activityStartedUs ?? 0) : 0;
  const endedUs = boundedEndUs(input, Math.max(userTurn.endedUs ?? userTurn.startedUs ?? nowUs, soundUs));
  const until = (ms: number) => Math.max(0, Math.round((endedUs - nowUs) / 1000 + ms));
  if (userTurnText(userTurn) === '')
    return until(userTurn.speaking ? NOISE_MS_MAX : wordsTimeoutMs(input) + NOISE_SLACK_MS);
  if (input.hadEnded) return Math.min(until(soundTimeoutMs(input)), withheldLeftMs(input));
  // The transcriber decides; this only bounds its decision.
  if (input.providerEndsTurns) return until(userTurn.speaking ? UNSTABLE_WORDS_MS_MAX : ACTIVITY_AFTER_FINAL_MS_MAX);
  const isChanging = hasChangingWords(userTurn.speech);
  if (isChanging && userTurn.speaking) return until(UNSTABLE_WORDS_MS_MAX);
  if (userTurn.speaking && !userTurn.endOfTurn)
    return until(input.sendsInterims === false ? NOISE_MS_MAX : ACTIVITY_AFTER_FINAL_MS_MAX);
  if (areWordsMissing(userTurn, traits, input.audioClock))
    return until(Math.max(pauseMs, missingWordsTimeoutMs(traits, input.finalLatenciesMs)));
  return until(
    isChanging && !input.hearsBackground ? Math.max(pauseMs, finalTimeoutMs(traits, input.finalLatenciesMs)) : pauseMs,
  );
}

/**
 * No later sound holds an open turn that has words: a dog may bark for minutes, and a user who waits may ask again and
 * again. Only long speech that began in time does, unless interims are known to come, or the user has asked again: its
 * words are reported after its end.
 */
function boundedEndUs(input: EndpointInput, endedUs: number): number {
  const { userTurn, newWords, sendsInterims } = input;
  // The words are no older than the turn.
  if (endedUs <= (userTurn.startedUs ?? 0) + ACTIVITY_AFTER_FINAL_MS_MAX * 1000) return endedUs;
  const wordsUs = newWordsUs(input);
  if (wordsUs === null) return endedUs;
  const latestUs = wordsUs + ACTIVITY_AFTER_FINAL_MS_MAX * 1000;
  const mayBeSpeech =
    sendsInterims !== true && !newWords().isAskedAgain && (userTurn.activityStartedUs ?? 0) <= latestUs;
  return Math.min(endedUs, mayBeSpeech ? wordsUs + NOISE_MS_MAX * 1000 : latestUs);
}

/** The end of the last new word, engine time; null without words. Words over the agent's speech are answered after it. */
function newWordsUs({ newWords, audioClock, agentSoundUs }: EndpointInput): number | null {
  const { endMs } = newWords();
  return endMs === null ? null : Math.max(audioTimeUs(audioClock, endMs), agentSoundUs);
}

/**
 * How much longer a sound that goes on may withhold the answer, in ms: interims show soon whether it has words. Without
 * interims it may be long speech, and the agent must not speak into it.
 */
function withheldLeftMs(input: EndpointInput): number {
  const { userTurn, sendsInterims, nowUs } = input;
  const wordsUs = newWordsUs(input);
  if (!userTurn.speaking || sendsInterims !== true || wordsUs === null) return Number.POSITIVE_INFINITY;
  const soundUs = userTurn.activityStartedUs ?? nowUs;
  const untilUs = Math.max(wordsUs + WITHHELD_MS_MAX * 1000, soundUs + FIRST_INTERIM_MS_MAX * 1000);
  return Math.max(0, Math.round((untilUs - nowUs) / 1000));
}

/** The timeout of the words of a sound after a turn that had ended: most such sounds have none. */
function soundTimeoutMs({ userTurn, traits, finalLatenciesMs, sendsInterims }: EndpointInput): number {
  const { activityEndedUs, activityStartedUs, speaking } = userTurn;
  if (speaking) return sendsInterims === false ? NOISE_MS_MAX : ACTIVITY_AFTER_FINAL_MS_MAX;
  const soundMs = ((activityEndedUs ?? 0) - (activityStartedUs ?? 0)) / 1000;
  const timeoutMs = soundMs < SHORT_SOUND_MS ? shortSoundTimeoutMs : missingWordsTimeoutMs;
  return timeoutMs(traits, finalLatenciesMs);
}

/** The timeout of words for a sound that has ended. Only long speech is certain to have some. */
function wordsTimeoutMs({ userTurn, traits, finalLatenciesMs, sendsInterims }: EndpointInput): number {
  const { startedUs, endedUs } = userTurn;
  const soundMs = startedUs === null || endedUs === null ? 0 : (endedUs - startedUs) / 1000;
  // Finals of this call that are later than the percentile are waited for too.
  if (soundMs < WORDLESS_SPEECH_MS)
    return Math.max(finalTimeoutMs(traits, []), shortSoundTimeoutMs(traits, finalLatenciesMs));
  return firstWordsTimeoutMs(traits, finalLatenciesMs, sendsInterims === true);
}
