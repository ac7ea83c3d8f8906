import { afterEach, describe, expect, it } from 'vitest';
import type { LanguageModel, ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import { EventLog, settle, waitFor } from './event-log.ts';
import { expectFailure, type Failure } from './failure.ts';
import { SLOW_STALL_MS } from './slow-provider.ts';

/**
 * The behaviour of the subject's provider:
 * - `text`: sends «A table for two.» and, if the protocol has usage, 10 input and 4 output tokens;
 * - `slow`: sends that text, its first event after `SLOW_MS`;
 * - `doubled`: sends that text and its end twice, with more words between the ends;
 * - `tools`: sends «Let me look.» and `CONTRACT_TOOL_CALLS` as parallel calls;
 * - a failure: fails; `stalled`, `closed`, `reset`, `half_frame` and `malformed` after the text «A table».
 */
export type LanguageModelScenario = 'text' | 'slow' | 'doubled' | 'tools' | Failure;

export const CONTRACT_TOOL_CALLS = [
  { id: 'call_a', name: 'find_table', arguments: '{"people":2,"day":"2025-05-02"}' },
  { id: 'call_b', name: 'weather', arguments: '{"city":"Zürich"}' },
];

export const CONTRACT_MODEL_REQUEST: ModelRequest = {
  provider: 'any',
  model: 'any-model',
  messages: [
    { role: 'system', content: 'You book tables.' },
    { role: 'user', content: 'A table, please.' },
  ],
  functions: [
    { name: 'find_table', description: 'Finds a table.', parameters: { type: 'object', properties: {} } },
    { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object', properties: {} } },
  ],
};

export interface LanguageModelSubject {
  readonly model: LanguageModel;
  readonly secret: string;
  /** Number of requests that reached the provider. */
  requestCount(): number;
  /** Number of requests that the provider is still answering. */
  activeRequests(): number;
  /** Releases everything. Afterwards no socket may be open. */
  close(): Promise<void>;
  openSockets(): number;
}

/** The contract of the port, run by every adapter and every fake. */
export function languageModelContract(
  name: string,
  start: (scenario: LanguageModelScenario) => Promise<LanguageModelSubject>,
  failures: readonly Failure[],
): void {
  describe(`${name} keeps the language model's contract`, () => {
    let subject: LanguageModelSubject | undefined;

    afterEach(async () => {
      const { close, openSockets } = subject ?? {};
      await close?.();
      await waitFor(() => expect(openSockets?.() ?? 0).toBe(0));
      subject = undefined;
    });

    async function generate(scenario: LanguageModelScenario) {
      subject = await start(scenario);
      const { model, secret, requestCount, activeRequests } = subject;
      const log = new EventLog<ModelEvent>();
      const generation = log.call(() => model.generate(CONTRACT_MODEL_REQUEST, log.emit));
      const expectNothingMore = async () => {
        const countBefore = log.events.length;
        await waitFor(() => expect(activeRequests()).toBe(0));
        await settle();
        expect(log.events).toHaveLength(countBefore);
      };
      return { log, generation, expectNothingMore, secret, requestCount };
    }

    it('streams the text and ends with done', async () => {
      const { log, generation, expectNothingMore } = await generate('text');
      await log.until('done');
      expect(textOf(log.events)).toBe('A table for two.');
      expect(log.events.at(-1)).toEqual({ type: 'done', finish: 'stop', usage: { inputTokens: 10, outputTokens: 4 } });
      log.call(() => generation.cancel());
      await expectNothingMore();
    });

    it('emits parallel calls complete, each once, after the text', async () => {
      const { log, expectNothingMore } = await generate('tools');
      await log.until('done');
      await expectNothingMore();
      expect(textOf(log.events)).toBe('Let me look.');
      const calls = log.events.filter((event) => event.type === 'tool_call');
      expect(calls.map((event) => event.call)).toEqual(CONTRACT_TOOL_CALLS);
      expect(log.events.at(-1)).toMatchObject({ type: 'done', finish: 'tool_calls' });
    });

    it.each([0, 1, 2, 3, 4])('emits nothing after a cancel at event %i', async (count) => {
      const { log, generation, expectNothingMore } = await generate('tools');
      if (count > 0) {
        log.onEvent(() => {
          if (log.events.length === count) log.call(() => generation.cancel());
        });
        await log.untilCount(count);
      }
      log.call(() => generation.cancel());
      log.call(() => generation.cancel());
      await expectNothingMore();
      expect(log.events).toHaveLength(count);
    });

    // A subject that cannot fail replays a tape: it is never slow and repeats nothing.
    if (failures.length > 0) {
      it('waits for a slow first byte within its deadline, and sends one request', async () => {
        const { log, expectNothingMore, requestCount } = await generate('slow');
        const startedMs = performance.now();
        await log.until('text');
        expect(performance.now() - startedMs).toBeGreaterThan(SLOW_STALL_MS);
        await log.until('done');
        await expectNothingMore();
        expectOneText(log.events);
        expect(requestCount()).toBe(1);
      });

      it('emits nothing after a cancel before the first byte', async () => {
        const { log, generation, expectNothingMore, requestCount } = await generate('slow');
        await waitFor(() => expect(requestCount()).toBe(1));
        log.call(() => generation.cancel());
        await expectNothingMore();
        expect(log.events).toEqual([]);
      });

      it('ends once although the provider repeats messages', async () => {
        const { log, expectNothingMore } = await generate('doubled');
        await log.until('done');
        await expectNothingMore();
        expectOneText(log.events);
      });
    }

    it('two simultaneous generations do not affect each other', async () => {
      const { log } = await generate('text');
      const other = new EventLog<ModelEvent>();
      const generation = subject?.model.generate(CONTRACT_MODEL_REQUEST, other.emit);
      generation?.cancel();
      await log.until('done');
      await settle();
      expect(other.events).toEqual([]);
      expect(textOf(log.events)).toBe('A table for two.');
    });

    it.each(failures)('ends once and reports the failure: %s', async (failure) => {
      const { log, generation, expectNothingMore, secret, requestCount } = await generate(failure);
      await log.until('failed');
      await expectNothingMore();
      const ends = log.events.filter((event) => event.type === 'failed' || event.type === 'done');
      expect(ends).toHaveLength(1);
      const last = log.events.at(-1);
      expectFailure(last?.type === 'failed' ? last.error : undefined, failure, secret);
      log.call(() => generation.cancel());
      await expectNothingMore();
      expect(requestCount()).toBeLessThanOrEqual(1);
    });
  });
}

function expectOneText(events: readonly ModelEvent[]): void {
  expect(textOf(events)).toBe('A table for two.');
  expect(events.filter(({ type }) => type !== 'text').map(({ type }) => type)).toEqual(['done']);
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}
