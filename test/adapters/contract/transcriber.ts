import { afterEach, describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Transcriber, TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import { EventLog, settle, waitFor } from './event-log.ts';
import { expectFailure, type Failure } from './failure.ts';
import { SLOW_STALL_MS } from './slow-provider.ts';

/**
 * The behaviour of the subject's provider:
 * - `transcribes`: sends the messages for the expectedTypes events. By default: the interim «I would» at 200 ms;
 *   the final «I would like a table.» of 100–380 ms, which ends the turn, at 400; the utterance's end at 500;
 * - `slow`: sends nothing for `SLOW_MS`, then those messages;
 * - `doubled`: sends each final twice, then repeats earlier messages;
 * - a failure: fails at 100 ms of audio, or at the connection.
 */
export type TranscriberScenario = 'transcribes' | 'slow' | 'doubled' | Failure;

export interface TranscriberSubject {
  readonly transcriber: Transcriber;
  readonly format: AudioFormat;
  /** Must not appear in any event. */
  readonly secret: string;
  /** Number of connections, or of requests if each utterance is a request. */
  requestCount(): number;
  openSockets(): number;
  close(): Promise<void>;
}

const FRAME_MS = 20;
const AUDIO_MS = 600;
/** Events of a provider that sends segments. Each event has at least these fields. */
const SEGMENT_EVENTS: readonly ExpectedEvent[] = [
  { type: 'interim', text: 'I would', startMs: 100 },
  {
    type: 'final',
    text: 'I would like a table.',
    words: [{ text: 'I' }, { text: 'would' }, { text: 'like' }, { text: 'a' }, { text: 'table.' }],
    startMs: 100,
    endMs: 380,
  },
  { type: 'utterance_end', lastWordEndMs: 380 },
];

interface ExpectedEvent {
  readonly type: TranscriberEvent['type'];
  readonly [field: string]: unknown;
}

export interface TranscriberContractOptions {
  readonly failures: readonly Failure[];
  /** False for a tape without `ready`. Default true. */
  readonly emitsReady?: boolean;
  /** Events of the scenario `transcribes` after `ready`. Default: `SEGMENT_EVENTS`. */
  readonly events?: readonly ExpectedEvent[];
  readonly model?: string;
  /** The frame of audio at `ms`, for a subject that detects speech itself. Default: zero bytes. */
  readonly frameAt?: (ms: number) => Uint8Array;
  readonly audioMs?: number;
}

/** The contract of the port, run by every adapter and every fake. */
export function transcriberContract(
  name: string,
  start: (scenario: TranscriberScenario) => Promise<TranscriberSubject>,
  options: TranscriberContractOptions,
): void {
  const { audioMs = AUDIO_MS, events = SEGMENT_EVENTS, frameAt, model } = options;
  const expectedTypes = [...(options.emitsReady === false ? [] : ['ready']), ...events.map(({ type }) => type)];
  const eventCounts = Array.from({ length: events.length + 2 }, (_, count) => count);

  describe(`${name} keeps the transcriber's contract`, () => {
    let subject: TranscriberSubject | undefined;

    afterEach(async () => {
      await subject?.close();
      subject = undefined;
    });

    async function open(scenario: TranscriberScenario) {
      subject = await start(scenario);
      const { transcriber, format, requestCount, openSockets, secret } = subject;
      const log = new EventLog<TranscriberEvent>();
      const stream = log.call(() => transcriber.open(optionsFor(format, model), log.emit));
      const frame = Buffer.alloc((format.sampleRateHz / 1000) * FRAME_MS * (format.encoding === 'linear16' ? 2 : 1));
      const speak = () => {
        for (let ms = 0; ms < audioMs; ms += FRAME_MS) log.call(() => stream.write(frameAt?.(ms) ?? frame));
      };
      const expectNothingMore = async () => {
        const countBefore = log.events.length;
        speak();
        log.call(() => stream.finalize());
        log.call(() => stream.configure?.({ eotThreshold: 0.9 }));
        await settle();
        await waitFor(() => expect(openSockets()).toBe(0));
        expect(log.events).toHaveLength(countBefore);
      };
      return { log, stream, speak, expectNothingMore, secret, transcriber, requestCount };
    }

    it('emits the transcript in order, with times of the audio', async () => {
      const { log, stream, speak, expectNothingMore } = await open('transcribes');
      speak();
      await log.untilCount(expectedTypes.length);
      expect(log.types()).toEqual(expectedTypes);
      expect(log.events.filter((event) => event.type !== 'ready')).toMatchObject(events);
      log.call(() => stream.close());
      await expectNothingMore();
    });

    it('accepts changes of an open stream if its traits say so, and emits nothing for them', async () => {
      const { log, stream, speak, transcriber } = await open('transcribes');
      const configurable = transcriber.traitsOf(model).configurable ?? false;
      log.call(() => stream.configure?.({ eotThreshold: 0.9 }));
      speak();
      log.call(() => stream.configure?.({}));
      await log.untilCount(expectedTypes.length);
      await settle();
      expect(log.types()).toEqual(expectedTypes);
      if (configurable) expect(stream.configure).toBeTypeOf('function');
      stream.close();
    });

    it.each(eventCounts)('emits nothing after a close at event %i', async (count) => {
      const { log, stream, speak, expectNothingMore } = await open('transcribes');
      if (count > 0) {
        log.onEvent(() => {
          if (log.events.length === count) log.call(() => stream.close());
        });
        speak();
        await log.untilCount(Math.min(count, expectedTypes.length));
      }
      log.call(() => stream.close());
      log.call(() => stream.close());
      await expectNothingMore();
      expect(log.events.length).toBeLessThanOrEqual(count);
    });

    // A subject that cannot fail replays a tape: it is never slow and repeats nothing.
    if (options.failures.length > 0) {
      it('waits for a slow provider within its deadline, and dials once', async () => {
        const { log, stream, speak, expectNothingMore, requestCount } = await open('slow');
        const openedMs = performance.now();
        speak();
        await log.untilCount(expectedTypes.length);
        expect(performance.now() - openedMs).toBeGreaterThan(SLOW_STALL_MS);
        await settle();
        expect(log.types()).toEqual(expectedTypes);
        expect(log.events.filter((event) => event.type !== 'ready')).toMatchObject(events);
        expect(requestCount()).toBe(1);
        log.call(() => stream.close());
        await expectNothingMore();
      });

      it('emits a final once although the provider repeats messages', async () => {
        const { log, stream, speak } = await open('doubled');
        speak();
        await log.untilCount(expectedTypes.length);
        await settle();
        expect(log.types()).toEqual(expectedTypes);
        stream.close();
      });
    }

    it.each(options.failures)('ends once and reports the failure: %s', async (failure) => {
      const { log, stream, speak, expectNothingMore, secret, requestCount } = await open(failure);
      speak();
      await log.until('failed');
      await expectNothingMore();
      const failed = log.events.filter((event) => event.type === 'failed');
      expect(failed).toHaveLength(1);
      expect(log.events.at(-1)?.type).toBe('failed');
      expectFailure(failed[0]?.error, failure, secret);
      log.call(() => stream.close());
      await expectNothingMore();
      expect(requestCount()).toBeLessThanOrEqual(1);
    });
  });
}

function optionsFor(format: AudioFormat, model: string | undefined): TranscriberOptions {
  const common = { provider: 'any', language: 'en', vocabulary: ['Trunkline'], format };
  return model === undefined ? common : { ...common, model };
}
