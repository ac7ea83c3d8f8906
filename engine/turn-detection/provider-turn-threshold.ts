import { DICTATION_REASONS } from '../completeness/end-of-turn-pause.ts';
import type { RuleStep } from '../core/rule-step.ts';
import {
  changeTranscriberState,
  currentTranscriber,
  providerEndsTurns,
  transcriberTraits,
} from '../current-providers/current-transcriber.ts';
import type { TranscriberChange } from '../ports/transcriber.ts';
import { turnCompleteness } from './turn-completeness.ts';

/** The highest end-of-turn threshold that a provider accepts (Deepgram Flux, `eot_threshold`). */
const RAISED_EOT_THRESHOLD = 0.9;

/**
 * Raises the end-of-turn threshold of a transcriber that detects turns while the user dictates digits, a spelling, an
 * address or an e-mail: they pause within the turn. The bounds of the wait stay. Runs after each event of speech; the
 * next turn starts with the agent's setting again.
 */
export function tuneEndOfTurnThreshold(step: RuleStep): void {
  const { failover } = step.context;
  if (!providerEndsTurns(step.context) || transcriberTraits(step.context).configurable !== true) return;
  const configured = currentTranscriber(step.context).eot_threshold;
  if (configured !== undefined && configured >= RAISED_EOT_THRESHOLD) return;
  const isDictating = turnCompleteness(step).reasons.some((reason) => DICTATION_REASONS.has(reason));
  const raise = step.state.features.entity_detection || isDictating;
  if (raise === failover.transcriber.thresholdRaised) return;
  changeTranscriberState(step, { thresholdRaised: raise });
  step.command({ type: 'transcriber.configure', change: changeTo(raise ? RAISED_EOT_THRESHOLD : configured) });
}

function changeTo(eotThreshold: number | undefined): TranscriberChange {
  return eotThreshold === undefined ? {} : { eotThreshold };
}
