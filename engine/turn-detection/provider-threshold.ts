import type { Step } from '../core/step.ts';
import { spokenLanguage } from '../languages/languages.ts';
import type { TranscriberChange } from '../ports/transcriber.ts';
import { changeLink, transcriberInUse, transcriberTraits } from '../provider-choice/transcriber-gap.ts';
import { dictationOf } from './dictation.ts';
import { turnText } from './turn-text.ts';

/** The surest that a provider can be asked to be (Deepgram Flux, `eot_threshold`). */
const PATIENT_EOT_THRESHOLD = 0.9;

/**
 * While digits, a spelling, an address or an e-mail are dictated, one pauses where no turn ends: a transcriber that ends
 * turns by itself is then asked to be surer of it. The wait keeps its bounds, whatever comes of that. Called behind
 * whatever was heard; the next turn begins with the agent's own setting again.
 */
export function tunePatience(step: Step): void {
  const { agent, caller, failover } = step.context;
  if (transcriberTraits(step.context).configurable !== true) return;
  const usual = transcriberInUse(step.context).eot_threshold;
  if (usual !== undefined && usual >= PATIENT_EOT_THRESHOLD) return;
  const dictates = dictationOf(turnText(caller), spokenLanguage(agent.language)) !== null;
  const patient = step.state.features.entity_detection || dictates;
  if (patient === failover.transcriber.patient) return;
  changeLink(step, { patient });
  step.order({ type: 'transcriber.configure', change: changeTo(patient ? PATIENT_EOT_THRESHOLD : usual) });
}

function changeTo(eotThreshold: number | undefined): TranscriberChange {
  return eotThreshold === undefined ? {} : { eotThreshold };
}
