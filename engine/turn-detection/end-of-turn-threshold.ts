import type { RuleStep } from '../core/rule-step.ts';
import {
  changeTranscriberState,
  transcriberInUse,
  transcriberTraits,
} from '../current-providers/current-transcriber.ts';
import { languagePack } from '../languages/language-packs.ts';
import type { TranscriberChange } from '../ports/transcriber.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { dictationOf } from './dictation.ts';

/** The surest that a provider can be asked to be (Deepgram Flux, `eot_threshold`). */
const RAISED_EOT_THRESHOLD = 0.9;

/**
 * While digits, a spelling, an address or an e-mail are dictated, one pauses where no turn ends: a transcriber that ends
 * turns by itself is then asked to be surer of it. The wait keeps its bounds, whatever comes of that. Called behind
 * whatever was heard; the next turn begins with the agent's own setting again.
 */
export function tuneEndOfTurnThreshold(step: RuleStep): void {
  const { agent, userTurn, failover } = step.context;
  if (transcriberTraits(step.context).configurable !== true) return;
  const usual = transcriberInUse(step.context).eot_threshold;
  if (usual !== undefined && usual >= RAISED_EOT_THRESHOLD) return;
  const dictates = dictationOf(userTurnText(userTurn), languagePack(agent.language)) !== null;
  const patient = step.state.features.entity_detection || dictates;
  if (patient === failover.transcriber.thresholdRaised) return;
  changeTranscriberState(step, { thresholdRaised: patient });
  step.command({ type: 'transcriber.configure', change: changeTo(patient ? RAISED_EOT_THRESHOLD : usual) });
}

function changeTo(eotThreshold: number | undefined): TranscriberChange {
  return eotThreshold === undefined ? {} : { eotThreshold };
}
