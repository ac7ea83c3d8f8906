import { afterEach, describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Voice, VoiceEvent } from '../../../engine/ports/voice.ts';
import { EventLog, settle, waitFor } from './event-log.ts';
import { expectFailure, type Failure } from './failure.ts';
import { SLOW_STALL_MS } from './slow-provider.ts';

/**
 * How the subject's provider speaks `CONTRACT_TEXTS`:
 * - `speaks`: sends `CONTRACT_SEGMENT_BYTES` of audio for each text, in several chunks. Each byte is the text's index
 *   plus one;
 * - `slow`: sends that audio, for the first text after `SLOW_MS`;
 * - `doubled`: sends that audio and the end of each segment twice;
 * - a failure: fails at the connection attempt, or after the first chunk of the first text; `no_first_byte` fails between the two.
 */
export type VoiceScenario = 'speaks' | 'slow' | 'doubled' | Failure;

export const CONTRACT_TEXTS = ['Good evening.', 'A table for two?', 'At what time?', 'See you then.'];
export const CONTRACT_SEGMENT_BYTES = 4_000;

export interface VoiceSubject {
  readonly voice: Voice;
  readonly format: AudioFormat;
  readonly secret: string;
  /** Number of requests to speak a text, repeated ones included. */
  requestCount(): number;
  openSockets(): number;
  close(): Promise<void>;
}

/** The contract of the port, run by every adapter and every fake. */
export function voiceContract(
  name: string,
  start: (scenario: VoiceScenario) => Promise<VoiceSubject>,
  failures: readonly Failure[],
): void {
  describe(`${name} keeps the voice's contract`, () => {
    let subject: VoiceSubject | undefined;

    afterEach(async () => {
      await subject?.close();
      subject = undefined;
    });

    async function open(scenario: VoiceScenario) {
      subject = await start(scenario);
      const { voice, format, secret, requestCount, openSockets } = subject;
      const log = new EventLog<VoiceEvent>();
      const options = { provider: 'any', name: 'anyone', language: 'en', speed: 1, format };
      const stream = log.call(() => voice.open(options, log.emit));
      const speak = (segment: number) => log.call(() => stream.speak(segment, CONTRACT_TEXTS[segment] ?? ''));
      const expectNothingMore = async () => {
        const countBefore = log.events.length;
        log.call(() => stream.close());
        log.call(() => stream.speak(99, 'never'));
        await waitFor(() => expect(openSockets()).toBe(0));
        await settle();
        expect(log.events).toHaveLength(countBefore);
      };
      return { log, stream, speak, expectNothingMore, secret, requestCount };
    }

    it('speaks complete segments in order, never mixed', async () => {
      const { log, speak, expectNothingMore } = await open('speaks');
      for (const segment of [0, 1, 2]) speak(segment);
      await log.until('done', 3);
      expectSpoken(log.events, [0, 1, 2]);
      await expectNothingMore();
    });

    it.each([0, 1, 2, 3, 'done'] as const)(
      'emits nothing of segments cancelled at event %s, and speaks later ones',
      async (moment) => {
        const { log, stream, speak, expectNothingMore } = await open('speaks');
        let countAtCancel = 0;
        const cancel = () => {
          countAtCancel = log.events.length;
          log.call(() => stream.cancel());
          log.call(() => stream.cancel());
          speak(2);
        };
        speak(0);
        speak(1);
        if (moment === 0) {
          cancel();
        } else {
          log.onEvent(({ segment, type }) => {
            if (log.events.length === moment || (segment === 0 && type === moment)) cancel();
          });
        }
        await waitFor(() => expect(log.events.at(-1)).toMatchObject({ type: 'done', segment: 2 }));
        expect(log.events.slice(countAtCancel).filter((event) => event.segment !== 2)).toEqual([]);
        expectWhole(log.events, 2);
        await expectNothingMore();
      },
    );

    it.each([0, 1, 2])('emits nothing after a close at event %i', async (count) => {
      const { log, stream, speak, expectNothingMore } = await open('speaks');
      speak(0);
      speak(1);
      if (count > 0) {
        log.onEvent(() => {
          if (log.events.length === count) log.call(() => stream.close());
        });
        await log.untilCount(count);
      }
      await expectNothingMore();
      expect(log.events).toHaveLength(count);
    });

    // A subject that cannot fail replays a tape: it is never slow and repeats nothing.
    if (failures.length > 0) {
      it('waits for a slow first audio within its deadline, and sends one request', async () => {
        const { log, speak, expectNothingMore, requestCount } = await open('slow');
        const startedMs = performance.now();
        for (const segment of [0, 1, 2]) speak(segment);
        await log.until('audio');
        expect(performance.now() - startedMs).toBeGreaterThan(SLOW_STALL_MS);
        await log.until('done', 3);
        await settle();
        expectSpoken(log.events, [0, 1, 2]);
        expect(requestCount()).toBe(3);
        await expectNothingMore();
      });

      it('emits nothing of a segment cancelled before its first audio, and speaks later ones', async () => {
        const { log, stream, speak, expectNothingMore, requestCount } = await open('slow');
        speak(0);
        await waitFor(() => expect(requestCount()).toBe(1));
        log.call(() => stream.cancel());
        const countAtCancel = log.events.length;
        speak(2);
        await log.until('done');
        await settle();
        expectSpoken(log.events.slice(countAtCancel), [2]);
        await expectNothingMore();
      });

      it('ends each segment once although the provider repeats messages', async () => {
        const { log, speak, expectNothingMore } = await open('doubled');
        for (const segment of [0, 1, 2]) speak(segment);
        await log.until('done', 3);
        await settle();
        expectSpoken(log.events, [0, 1, 2]);
        await expectNothingMore();
      });
    }

    it.each(failures)('ends each segment once and reports the failure: %s', async (failure) => {
      const { log, speak, expectNothingMore, secret, requestCount } = await open(failure);
      speak(0);
      speak(1);
      await log.until('failed', 2);
      await settle();
      const ends = log.events.filter((event) => event.type === 'failed' || event.type === 'done');
      expect(ends.map((event) => event.segment)).toEqual([0, 1]);
      for (const end of ends) expectFailure(end.type === 'failed' ? end.error : undefined, failure, secret);
      await expectNothingMore();
      expect(requestCount()).toBeLessThanOrEqual(2);
    });
  });
}

/** Expects exactly these segments: complete, in order, not mixed, each ended once without a failure. */
function expectSpoken(events: readonly VoiceEvent[], segments: readonly number[]): void {
  const order = events.map((event) => event.segment);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  const ends = events.filter(({ type }) => type === 'done' || type === 'failed');
  expect(ends).toEqual(segments.map((segment) => ({ type: 'done', segment })));
  for (const segment of segments) {
    expectWhole(events, segment);
    expect(events.findLast((event) => event.segment === segment)?.type).toBe('done');
  }
}

function expectWhole(events: readonly VoiceEvent[], segment: number): void {
  const chunks = events.filter((event) => event.type === 'audio' && event.segment === segment);
  const audio = Buffer.concat(chunks.map((event) => (event.type === 'audio' ? event.audio : Buffer.alloc(0))));
  expect(audio).toHaveLength(CONTRACT_SEGMENT_BYTES);
  expect(new Set(audio)).toEqual(new Set([segment + 1]));
}
