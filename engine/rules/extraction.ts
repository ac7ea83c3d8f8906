import type { Step } from '../call/step.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import { countTokens } from './metrics.ts';
import { objectEntries } from './parameters.ts';
import { extractionRequest } from './request.ts';
import { applyingVariables, setVariable } from './variables.ts';

/** An extraction without an answer is given up after this. */
const EXTRACTION_MAX_MS = 20_000;

/**
 * Asks for the variables beside the conversation. One at a time: while one runs, the caller's next words wait, and only
 * the latest state of the conversation is asked about afterwards.
 */
export function requestExtraction(step: Step): void {
  const asked = applyingVariables(step.context);
  if (asked.length === 0) return;
  if (step.context.extraction.running !== null) {
    step.change({ extraction: { ...step.context.extraction, stale: true } });
    return;
  }
  const extraction = step.next('extraction');
  step.change({ extraction: { running: extraction, asked, stale: false } });
  step.order({ type: 'extraction.request', extraction, request: extractionRequest(step) });
  step.startTimer('extraction', EXTRACTION_MAX_MS);
}

/** An extraction has answered, failed, or taken too long. */
export function endExtraction(step: Step): void {
  const { event } = step;
  const { running, asked, stale } = step.context.extraction;
  if (running === null) return;
  if (event.type === 'timer') step.order({ type: 'extraction.cancel', extraction: running });
  else if (event.type === 'extraction.done' || event.type === 'extraction.failed') {
    if (event.extraction !== running) return;
    step.stopTimer('extraction');
  }
  step.change({ extraction: { running: null, asked: [], stale: false } });
  if (event.type === 'extraction.done') {
    countTokens(step, event.usage);
    const answers = new Map(objectEntries(event.answer));
    for (const variable of asked) {
      setVariable(step, variable.name, answers.get(variable.name) ?? null, variable.type);
    }
  }
  if (event.type === 'extraction.failed')
    step.log('warn', `an extraction failed: ${describeProviderError(event.error)}`);
  if (stale) requestExtraction(step);
}
