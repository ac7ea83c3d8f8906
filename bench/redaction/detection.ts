import { findEntities } from '../../engine/redaction/find-entities.ts';
import { type EntitySpan, REDACTION_ENTITIES } from '../../engine/redaction/redaction-entity.ts';
import type { LabelledUtterance } from '../../fixtures/redaction/labelled-utterances.ts';

export interface Detection {
  readonly labelled: number;
  readonly found: number;
  /** Labelled entities of which no digit or letter stays. */
  readonly hidden: number;
  /** Found entities that overlap a labelled one of the same kind. */
  readonly right: number;
  /** Each utterance with an entity that was missed or found wrongly. */
  readonly faults: readonly string[];
}

/** Compares what the detectors find with the labels. Each utterance is judged separately. */
export function detectionOf(utterances: readonly LabelledUtterance[]): Detection {
  const detections = utterances.map(({ language, spans, text }) => {
    const found = findEntities(text, { language, entities: REDACTION_ENTITIES });
    const hidden = spans.filter((span) => found.some((one) => one.from <= span.from && span.to <= one.to)).length;
    const right = found.filter((one) => spans.some((span) => isSame(one, span))).length;
    const isFaulty = hidden < spans.length || right < found.length;
    const names = found.map(({ entity, from, to }) => `${entity} «${text.slice(from, to)}»`).join(', ');
    return {
      labelled: spans.length,
      found: found.length,
      hidden,
      right,
      fault: `${language}: ${text} → ${names}`,
      isFaulty,
    };
  });
  const sum = (count: 'labelled' | 'found' | 'hidden' | 'right') =>
    detections.reduce((total, detection) => total + detection[count], 0);
  return {
    labelled: sum('labelled'),
    found: sum('found'),
    hidden: sum('hidden'),
    right: sum('right'),
    faults: detections.filter(({ isFaulty }) => isFaulty).map(({ fault }) => fault),
  };
}

function isSame(found: EntitySpan, labelled: EntitySpan): boolean {
  return found.entity === labelled.entity && found.from < labelled.to && labelled.from < found.to;
}
