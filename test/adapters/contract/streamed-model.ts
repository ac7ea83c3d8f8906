import { expect } from 'vitest';
import type { ModelDeadlines } from '../../../adapters/streamed-model/streamed-generation.ts';
import type { StreamedLanguageModel } from '../../../adapters/streamed-model/streamed-language-model.ts';
import type { StreamEmulator } from '../../providers/stream/stream-emulator.ts';
import type { StreamAnswer } from '../../providers/stream/stream-script.ts';
import { waitFor } from './event-log.ts';
import { ALL_FAILURES } from './failure.ts';
import { type LanguageModelScenario, languageModelContract } from './language-model.ts';
import { SLOW_MS, SLOW_STALL_MS } from './slow-provider.ts';

/** Wide, so that a busy machine does not look like a slow provider. */
export const WIDE_DEADLINES: ModelDeadlines = { firstByteMs: 10_000, stallMs: 10_000, usageMs: 100 };
/** For tests of the deadlines themselves. */
const SHORT_DEADLINES: ModelDeadlines = { firstByteMs: 150, stallMs: 150, usageMs: 100 };
const SLOW_DEADLINES: ModelDeadlines = { ...WIDE_DEADLINES, stallMs: SLOW_STALL_MS };
/** Longer than any deadline here, and within the range of Node's timers. */
const NEVER_MS = 600_000;

export interface StreamedModelSubject {
  start(answer: StreamAnswer): Promise<StreamEmulator<unknown> & { readonly baseUrl: string; readonly apiKey: string }>;
  create(access: { baseUrl: string; apiKey: string }, deadlines: ModelDeadlines): StreamedLanguageModel;
  readonly answers: {
    readonly text: StreamAnswer;
    readonly doubled: StreamAnswer;
    readonly tools: StreamAnswer;
    /** The start of a response, up to the text «A table». */
    readonly firstChunks: StreamAnswer['steps'];
    readonly malformed: StreamAnswer['steps'];
    /** Status 429 carries `retry-after: 7`. */
    refused(status: 401 | 429 | 500, headers: Readonly<Record<string, string>>): StreamAnswer;
  };
}

/** Runs a streamed adapter against its provider's emulator through all scenarios of the contract. */
export function streamedModelContract(name: string, { start, create, answers }: StreamedModelSubject): void {
  const { firstChunks } = answers;
  const answerOf: Readonly<Record<LanguageModelScenario, StreamAnswer>> = {
    text: answers.text,
    // The headers come at once. A comment is not an event.
    slow: { steps: [{ type: 'raw', text: ':\n\n', delayMs: SLOW_MS }, ...answers.text.steps] },
    doubled: answers.doubled,
    tools: answers.tools,
    unauthorized: answers.refused(401, {}),
    rate_limited: answers.refused(429, { 'retry-after': '7' }),
    server_error: answers.refused(500, {}),
    refused_connection: answers.refused(500, {}),
    no_answer: { delayMs: NEVER_MS, steps: [] },
    no_first_byte: { steps: [{ type: 'stall' }] },
    stalled: { steps: [...firstChunks, { type: 'stall' }] },
    closed: { steps: firstChunks },
    reset: { steps: [...firstChunks, { type: 'reset', delayMs: 20 }] },
    half_frame: { steps: [...firstChunks, { type: 'raw', text: 'data: {"never' }, { type: 'reset', delayMs: 20 }] },
    malformed: { steps: [...firstChunks, ...answers.malformed] },
  };
  languageModelContract(
    name,
    async (scenario) => {
      const emulator = await start(answerOf[scenario]);
      const model = create(emulator, deadlinesFor(scenario));
      if (scenario === 'refused_connection') await emulator.close();
      return {
        model,
        secret: emulator.apiKey,
        requestCount: () => emulator.requests.length,
        activeRequests: () => emulator.activeRequests,
        openSockets: () => emulator.openSockets,
        close: async () => {
          await model.close();
          await waitFor(() => expect(emulator.openSockets).toBe(0));
          if (scenario !== 'refused_connection') await emulator.close();
        },
      };
    },
    ALL_FAILURES,
  );
}

function deadlinesFor(scenario: LanguageModelScenario): ModelDeadlines {
  if (['no_answer', 'no_first_byte', 'stalled'].includes(scenario)) return SHORT_DEADLINES;
  return scenario === 'slow' ? SLOW_DEADLINES : WIDE_DEADLINES;
}
