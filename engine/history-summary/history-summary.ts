import type { RuleStep } from '../core/rule-step.ts';
import type { SummaryState } from '../core/state/history-summary-slice.ts';
import { countTokens } from '../metrics/conversation-metrics.ts';
import type { ModelUsage } from '../ports/language-model.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import { summaryRequest } from '../prompts/summary-request.ts';
import { objectEntries } from '../tool-definitions/tool-arguments.ts';
import { toolCallIds } from '../transcript/history.ts';
import { fitHistory, HISTORY_CHARACTERS_MAX, historySize } from './history-budget.ts';

/** Timeout of a summary request. Other requests do not wait for it. */
const SUMMARY_TIMEOUT_MS = 30_000;
/** A longer summary is cut: about 1,000 words. */
const SUMMARY_CHARACTERS_MAX = 6_000;

/**
 * Fits the history into its budget before each model request. Turns that no longer fit leave it immediately and are
 * summarised in the background. The model request does not wait for the summary.
 */
export function fitHistoryToBudget(step: RuleStep): void {
  const { history, reply, summary } = step.context;
  const { dropped, kept } = fitHistory(history, (summary.text?.length ?? 0) + (reply?.pending?.text.length ?? 0));
  const left = { dropped: [...summary.dropped, ...dropped], callIds: [...summary.callIds, ...toolCallIds(dropped)] };
  step.change({ history: kept, summary: { ...summary, ...left } });
  if (dropped.length > 0) requestSummary(step);
}

/** One request at a time. Turns that are dropped during a request are summarised after it. */
function requestSummary(step: RuleStep): void {
  const { summary } = step.context;
  if (summary.running !== null) return;
  const dropped = newest(summary.dropped);
  const number = step.nextNumber('summary');
  step.change({ summary: { ...summary, dropped, running: { number, covers: dropped.length } } });
  step.command({ type: 'summary.request', summary: number, request: summaryRequest(step) });
  step.startTimer('summary', SUMMARY_TIMEOUT_MS);
}

/** Turns of a failed summary are summarised with the next ones. Beyond a bound the oldest are discarded. */
function newest(dropped: SummaryState['dropped']): SummaryState['dropped'] {
  let from = 0;
  while (from < dropped.length - 1 && historySize(dropped.slice(from)) > 2 * HISTORY_CHARACTERS_MAX) from++;
  return dropped.slice(from);
}

/** A summary request is done, failed or timed out. After a failure the next cut of the history requests it again. */
export function onSummaryResult(step: RuleStep): void {
  const { event } = step;
  const { summary } = step.context;
  if (summary.running === null) return;
  const { number, covers } = summary.running;
  switch (event.type) {
    case 'summary.done':
      if (event.summary !== number) return;
      step.stopTimer('summary');
      step.change({ summary: { ...summary, running: null } });
      applySummary(step, event, covers);
      break;
    case 'summary.failed':
      if (event.summary !== number) return;
      step.stopTimer('summary');
      step.change({ summary: { ...summary, running: null } });
      step.log({ type: 'summary_failed', error: describeProviderError(event.error) });
      break;
    default:
      step.command({ type: 'summary.cancel', summary: number });
      step.change({ summary: { ...summary, running: null } });
      step.log({ type: 'summary_failed', error: 'timeout: no answer in time' });
  }
}

function applySummary(
  step: RuleStep,
  event: { readonly answer: Parameters<typeof objectEntries>[0]; readonly usage?: ModelUsage },
  covers: number,
): void {
  const { summary } = step.context;
  countTokens(step, event.usage);
  const text = new Map(objectEntries(event.answer)).get('summary');
  if (typeof text !== 'string' || text.trim() === '') {
    step.log({ type: 'summary_failed', error: 'malformed: no summary in the answer' });
    return;
  }
  const bounded = text.trim().slice(0, SUMMARY_CHARACTERS_MAX).toWellFormed();
  step.change({ summary: { ...summary, text: bounded, dropped: summary.dropped.slice(covers) } });
  if (step.context.summary.dropped.length > 0 && step.context.endReason === null) requestSummary(step);
}
