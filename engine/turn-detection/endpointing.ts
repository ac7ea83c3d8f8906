import { pauseMsOf } from '../completeness/end-of-turn-pause.ts';
import type { CallContext } from '../core/context.ts';
import type { Rule, RuleStep } from '../core/rule-step.ts';
import type { TurnEnd } from '../core/state/turn-draft.ts';
import { providerEndsTurns, transcriberTraits, wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import { isPartlyTranscribed } from '../current-providers/transcription-gap.ts';
import { haveSameWords } from '../languages/words.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { acousticAnswerLeftMs } from './acoustic-end.ts';
import { hearsBackground } from './background-speech.ts';
import { userTurnHasWords } from './commit-turn.ts';
import { endpointDelayMs } from './endpoint-delay.ts';
import { areWordsMissing } from './missing-words.ts';
import { monologueLeftMs } from './monologue-limit.ts';
import { newWords } from './new-words.ts';
import { measureOwnPause } from './pause-measurement.ts';
import { turnCompleteness } from './turn-completeness.ts';
import { discardNoise } from './user-turn.ts';

/** Effects of endpointing in topics that this folder cannot import: they depend on turn detection themselves. */
export interface EndpointEffects {
  /** Runs after each scheduling; `leftMs`: the time until the turn ends, 0 or less if it has ended. */
  readonly onScheduled: (step: RuleStep, leftMs: number) => void;
  /** The least silence that ends a turn with these words, in ms; 0 for no such bound. */
  readonly leastPauseMs: (context: CallContext) => number;
  /** Runs before a turn without words is discarded as noise. */
  readonly onWordlessTurn: Rule;
}

type LeastPause = EndpointEffects['leastPauseMs'];

export interface Endpointing {
  /** Schedules the end of the user's turn again. Runs after each event of speech. */
  readonly scheduleEndpoint: Rule;
  /** The user's turn has ended. Without words it was noise; otherwise it is complete and will be committed. */
  readonly onEndpoint: Rule;
}

export function endpointing({ leastPauseMs, onScheduled, onWordlessTurn }: EndpointEffects): Endpointing {
  const onEndpoint: Rule = (step) => {
    step.stopTimer('endpoint');
    if (userTurnHasWords(step.context)) completeUserTurn(step, leastPauseMs);
    else {
      onWordlessTurn(step);
      discardNoise(step);
    }
  };
  const scheduleEndpoint: Rule = (step) => {
    measureOwnPause(step);
    if (step.context.userTurn.complete) return;
    if (isPartlyTranscribed(step)) {
      step.stopTimer('endpoint');
      return;
    }
    const leftMs = endpointLeftMs(step, leastPauseMs);
    if (leftMs > 0) step.startTimer('endpoint', leftMs);
    else onEndpoint(step);
    onScheduled(step, leftMs);
  };
  return { scheduleEndpoint, onEndpoint };
}

/** An open DTMF entry belongs to the turn; it ends at a pause at the latest. */
export function isUserTurnComplete(context: CallContext): boolean {
  return context.userTurn.complete && userTurnHasWords(context) && context.dtmf.openEntry === null;
}

/** The turn ends after enough silence, once the acoustic model has judged it, or at the limit of a monologue. */
function endpointLeftMs(step: RuleStep, leastPauseMs: LeastPause): number {
  const silenceMs = Math.max(silenceLeftMs(step, leastPauseMs), acousticAnswerLeftMs(step));
  const monologueMs = userTurnHasWords(step.context) ? monologueLeftMs(step.context, step.nowUs) : null;
  return monologueMs === null || monologueMs >= silenceMs || awaitsWords(step) ? silenceMs : monologueMs;
}

/**
 * The user has fallen silent, and words of what they have said are still to come: they belong to the same turn. Words after
 * the last voice activity belong to speech that it has missed.
 */
function awaitsWords({ context, time }: RuleStep): boolean {
  const { activityEndedUs, endedUs, speaking, speech } = context.userTurn;
  const traits = transcriberTraits(context);
  const isHeard = activityEndedUs !== null && (endedUs ?? 0) - activityEndedUs <= wordTimeErrorMs(traits) * 1000;
  if (speaking || !isHeard) return false;
  return hasChangingWords(speech) || areWordsMissing(context.userTurn, traits, time.audioClock);
}

function silenceLeftMs(step: RuleStep, leastPauseMs: LeastPause): number {
  const { failover, fillers, userTurn, finalLatenciesMs } = step.context;
  return endpointDelayMs({
    userTurn,
    traits: transcriberTraits(step.context),
    // The provider takes the words of the background for the user's, and waits for their end.
    providerEndsTurns: providerEndsTurns(step.context) && !hearsBackground(step.context),
    finalLatenciesMs,
    sendsInterims: failover.transcriber.sendsInterims,
    hearsBackground: hearsBackground(step.context),
    newWords: () => newWords(step.context),
    hadEnded: hadEnded(step.context),
    agentSoundUs: fillers.agentSoundUs,
    pauseMs: Math.max(pauseMsOf(turnCompleteness(step)), leastPauseMs(step.context)),
    nowUs: step.nowUs,
    audioClock: step.time.audioClock,
  });
}

/** The answer is withheld for a sound, and the words are those that it answers. */
function hadEnded({ reply, userTurn }: CallContext): boolean {
  return reply?.pending?.phase === 'withheld' && haveSameWords(userTurnText(userTurn), reply.pending.text);
}

function completeUserTurn(step: RuleStep, leastPauseMs: LeastPause): void {
  const overMonologueLimit = silenceLeftMs(step, leastPauseMs) > 0 && monologueLeftMs(step.context, step.nowUs) === 0;
  const end = endOfTurn(step, overMonologueLimit);
  step.change({ userTurn: { ...step.context.userTurn, complete: true, end, overMonologueLimit } });
}

/** The reason for the end of the turn, for its record. */
function endOfTurn(step: RuleStep, overMonologueLimit: boolean): TurnEnd {
  const { reasons, score } = turnCompleteness(step);
  const judged = { score: Math.round(score * 1000) / 1000, reasons };
  if (overMonologueLimit) return { by: 'monologue_limit', ...judged };
  if (providerEndsTurns(step.context)) return { by: 'provider_timeout', ...judged };
  return { by: reasons.includes('acoustic_end') ? 'acoustic_model' : 'pause', ...judged };
}
