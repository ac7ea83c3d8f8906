import type { JsonValue } from '../agent/json-value.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { ExtractionState } from '../core/state/variable-extraction-slice.ts';
import { currentModel, hasOtherModel, modelKey } from '../current-providers/current-model.ts';
import { countTokens } from '../metrics/conversation-metrics.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import { extractionRequest } from '../prompts/extraction-request.ts';
import { objectEntries } from '../tool-definitions/tool-arguments.ts';
import { conversationItems } from '../transcript/history.ts';
import { applyingVariables, setVariable } from '../variables/variables.ts';

/** Timeout of an extraction. */
const EXTRACTION_MS_MAX = 20_000;

/**
 * Requests the values of the applying variables from what the user has said since the last extraction, a pending turn
 * included: values are there sooner, and words that follow are read with the next extraction. One extraction
 * runs at a time: a user turn marks it as stale, and the next extraction then covers all turns since.
 */
export function requestExtraction(step: RuleStep): void {
  const { extraction } = step.context;
  const variables = applyingVariables(step.context);
  const through = conversationItems(step.context).findLast((item) => item.type === 'user')?.id ?? 0;
  const known = Math.max(extraction.readThrough, extraction.requestedThrough);
  if (variables.length === 0 || through <= known) return;
  if (extraction.running !== null) {
    step.change({ extraction: { ...extraction, stale: true } });
    return;
  }
  request(step, {
    ...extraction,
    requestedVariables: variables,
    requestedUs: step.nowUs,
    requestedThrough: through,
    models: [],
  });
}

/** An item that was read already has changed: the next extraction reads it again. */
export function readAgain(step: RuleStep, item: number): void {
  const { extraction } = step.context;
  const readThrough = Math.min(extraction.readThrough, item - 1);
  const requestedThrough = Math.min(extraction.requestedThrough, item - 1);
  step.change({ extraction: { ...extraction, readThrough, requestedThrough } });
  requestExtraction(step);
}

/** Asks the first available model that was not tried yet. */
function request(step: RuleStep, extraction: ExtractionState): void {
  const running = step.nextNumber('extraction');
  const llm = currentModel(step, extraction.models);
  const models = [...extraction.models, modelKey(step.context, llm)];
  step.command({
    type: 'extraction.request',
    extraction: running,
    request: extractionRequest(step, extraction.requestedVariables, llm),
  });
  step.change({ extraction: { ...extraction, running, models, stale: false } });
  step.startTimer('extraction', EXTRACTION_MS_MAX);
}

/**
 * An extraction has answered, failed or timed out. After a failure, the next turn's extraction covers its turns too.
 */
export function onExtractionResult(step: RuleStep): void {
  const { event } = step;
  const { extraction } = step.context;
  if (extraction.running === null) return;
  if (event.type === 'timer') step.command({ type: 'extraction.cancel', extraction: extraction.running });
  else if (event.type === 'extraction.done' || event.type === 'extraction.failed') {
    if (event.extraction !== extraction.running) return;
    step.stopTimer('extraction');
  }
  step.change({ extraction: { ...extraction, running: null, stale: false } });
  if (event.type === 'extraction.done') {
    countTokens(step, event.usage);
    applyValues(step, extraction, new Map(objectEntries(event.answer)));
  }
  if (event.type === 'extraction.failed') {
    step.log({ type: 'extraction_failed', error: describeProviderError(event.error) });
    if (!extraction.stale && hasOtherModel(step, extraction.models)) request(step, extraction);
  }
  if (extraction.stale) requestExtraction(step);
  if (step.context.awaitedFillers !== null) step.raise({ type: 'engine.extracted' });
}

/** A value that was set after the request is newer than the answer, and stays. */
function applyValues(
  step: RuleStep,
  { requestedVariables, requestedUs, requestedThrough }: ExtractionState,
  answers: ReadonlyMap<string, JsonValue>,
): void {
  const read = new Set([...step.context.extraction.read, ...requestedVariables.map(({ name }) => name)]);
  step.change({ extraction: { ...step.context.extraction, read, readThrough: requestedThrough } });
  for (const { name, type } of requestedVariables) {
    const known = step.context.variables.get(name);
    if (known !== undefined && known.atUs > requestedUs) continue;
    setVariable(step, name, answers.get(name) ?? null, type);
  }
}
