import type { TranscriberDeadlines } from '../../../adapters/socket-transcriber/socket-transcriber.ts';
import { SLOW_MS } from './slow-provider.ts';
import type { TranscriberScenario } from './transcriber.ts';

/** Wide, so that a busy machine does not look like a slow provider. */
export const DEADLINES: TranscriberDeadlines = { openMs: 10_000, careMs: 10_000, pauseMs: 10_000 };
/** For tests of the deadlines themselves. */
const SHORT_DEADLINES: TranscriberDeadlines = { openMs: 150, careMs: 40, pauseMs: 10_000 };

export function transcriberDeadlines(scenario: TranscriberScenario): TranscriberDeadlines {
  if (scenario === 'no_answer' || scenario === 'stalled') return SHORT_DEADLINES;
  // The short ping interval must not fail a connection that is still opening.
  return scenario === 'slow' ? { ...DEADLINES, careMs: SHORT_DEADLINES.careMs } : DEADLINES;
}

/** Delay of the emulator's response to an upgrade, ms. */
export function transcriberOpenMs(scenario: TranscriberScenario): number {
  if (scenario === 'no_answer') return Number.POSITIVE_INFINITY;
  return scenario === 'slow' ? SLOW_MS : 0;
}
