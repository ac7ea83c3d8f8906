import type { TranscriberDeadlines } from '../../../adapters/socket-transcriber/socket-transcriber.ts';
import { SLOW_MS } from './slow-provider.ts';
import type { TranscriberScenario } from './transcriber.ts';

/** Wide, so that a busy machine is not taken for a slow provider; short where the deadline itself is tried. */
export const DEADLINES: TranscriberDeadlines = { openMs: 10_000, careMs: 10_000, pauseMs: 10_000 };
const SHORT_DEADLINES: TranscriberDeadlines = { openMs: 150, careMs: 40, pauseMs: 10_000 };

export function transcriberDeadlines(scenario: TranscriberScenario): TranscriberDeadlines {
  if (scenario === 'no_answer' || scenario === 'stalled') return SHORT_DEADLINES;
  // A connection that is still opening need not answer pings.
  return scenario === 'slow' ? { ...DEADLINES, careMs: SHORT_DEADLINES.careMs } : DEADLINES;
}

/** When the connection is answered, as the emulators are told it. */
export function transcriberOpenMs(scenario: TranscriberScenario): number {
  if (scenario === 'no_answer') return Number.POSITIVE_INFINITY;
  return scenario === 'slow' ? SLOW_MS : 0;
}
