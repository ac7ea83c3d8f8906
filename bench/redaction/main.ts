import { REDACTION_ENTITIES } from '../../engine/redaction/redaction-entity.ts';
import { labelledUtterances } from '../../fixtures/redaction/labelled-utterances.ts';
import { Report } from '../report.ts';
import { type Detection, detectionOf } from './detection.ts';

/**
 * Precision and recall of redaction on the labelled utterances of `fixtures/redaction/`.
 *
 *     node bench/redaction/main.ts
 */
const utterances = labelledUtterances();
const report = new Report('redaction');
const languages = [...new Set(utterances.map(({ language }) => language))];
for (const language of languages)
  add(language, detectionOf(utterances.filter((utterance) => utterance.language === language)));
for (const entity of REDACTION_ENTITIES)
  add(entity, detectionOf(utterances.filter(({ spans }) => spans.some((span) => span.entity === entity))));
const all = detectionOf(utterances);
add('all', all);
report.note(
  `${utterances.length} utterances. Recall: no character of the entity stays. Rows of entities leave out utterances without one.`,
);
for (const fault of all.faults) report.note(fault);
await report.finish({ all });

function add(name: string, { found, hidden, labelled, right }: Detection): void {
  report.add({
    utterances: name,
    labelled,
    found,
    recall: (hidden / labelled).toFixed(3),
    precision: (right / found).toFixed(3),
  });
}
