import { afterEach, describe, expect, test } from 'vitest';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Transcriber, TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import { EventLog, settle, waitFor } from './event-log.ts';
import { expectFailure, type Failure } from './failure.ts';
import { SLOW_STALL_MS } from './slow-provider.ts';

/**
 * What the subject's provider is to do:
 * - `hears`: tells what makes the events expected; without others, speech at 100 ms, the interim «I would» at 200, the
 *   final «I would like a table.» of 100–380 ms, which ends the turn, at 400, and the utterance's end at 500;
 * - `slow`: the same, once `SLOW_MS` have passed, in which nothing at all comes;
 * - `doubled`: the same, what is final twice, and what came before once more behind it;
 * - a failure: at 100 ms of audio, or at the connection.
 */
export type TranscriberScenario = 'hears' | 'slow' | 'doubled' | Failure;

export interface TranscriberSubject {
  readonly transcriber: Transcriber;
  readonly format: AudioFormat;
  /** Must stand in no event. */
  readonly secret: string;
  /** How often the provider was dialled, or asked where each utterance is a request. */
  asked(): number;
  openSockets(): number;
  close(): Promise<void>;
}

const FRAME_MS = 20;
const AUDIO_MS = 600;
/** Of a provider that tells segments; each has at least these fields. */
const SEGMENT_EVENTS: readonly ExpectedEvent[] = [
  { type: 'speech', audioMs: 100 },
  { type: 'interim', text: 'I would', startMs: 100 },
  {
    type: 'final',
    text: 'I would like a table.',
    words: [{ text: 'I' }, { text: 'would' }, { text: 'like' }, { text: 'a' }, { text: 'table.' }],
    startMs: 100,
    endMs: 380,
    endOfTurn: true,
  },
  { type: 'utterance_end', lastWordEndMs: 380 },
];

interface ExpectedEvent {
  readonly type: TranscriberEvent['type'];
  readonly [field: string]: unknown;
}

export interface TranscriberContractOptions {
  readonly failures: readonly Failure[];
  /** Whether `ready` is told: a tape tells what is on it. */
  readonly emitsReady?: boolean;
  /** What `hears` makes, behind `ready`. */
  readonly events?: readonly ExpectedEvent[];
  readonly model?: string;
  /** The caller's audio from `ms` on, where the subject listens to it itself. */
  readonly frameAt?: (ms: number) => Uint8Array;
  readonly audioMs?: number;
}

/** The port's promises, for every adapter and every fake. */
export function transcriberContract(
  name: string,
  start: (scenario: TranscriberScenario) => Promise<TranscriberSubject>,
  options: TranscriberContractOptions,
): void {
  const { audioMs = AUDIO_MS, events = SEGMENT_EVENTS, frameAt, model } = options;
  const expected = [...(options.emitsReady === false ? [] : ['ready']), ...events.map(({ type }) => type)];
  const counts = Array.from({ length: events.length + 2 }, (_, count) => count);

  describe(`${name} keeps the transcriber's contract`, () => {
    let subject: TranscriberSubject | undefined;

    afterEach(async () => {
      await subject?.close();
      subject = undefined;
    });

    async function open(scenario: TranscriberScenario) {
      subject = await start(scenario);
      const { transcriber, format, asked, openSockets, secret } = subject;
      const log = new EventLog<TranscriberEvent>();
      const stream = log.call(() => transcriber.open(optionsFor(format, model), log.emit));
      const frame = Buffer.alloc((format.sampleRateHz / 1000) * FRAME_MS * (format.encoding === 'linear16' ? 2 : 1));
      const speak = () => {
        for (let ms = 0; ms < audioMs; ms += FRAME_MS) log.call(() => stream.write(frameAt?.(ms) ?? frame));
      };
      const expectNothingMore = async () => {
        const reported = log.events.length;
        speak();
        log.call(() => stream.finalize());
        log.call(() => stream.configure?.({ eotThreshold: 0.9 }));
        await settle();
        await waitFor(() => expect(openSockets()).toBe(0));
        expect(log.events).toHaveLength(reported);
      };
      return { log, stream, speak, expectNothingMore, secret, transcriber, asked };
    }

    test('emits the transcript in order, with times of the audio', async () => {
      const { log, stream, speak, expectNothingMore } = await open('hears');
      speak();
      await log.untilCount(expected.length);
      expect(log.types()).toEqual(expected);
      expect(log.events.filter((event) => event.type !== 'ready')).toMatchObject(events);
      log.call(() => stream.close());
      await expectNothingMore();
    });

    test('accepts changes of an open stream if its traits say so, and emits nothing for them', async () => {
      const { log, stream, speak, transcriber } = await open('hears');
      const configurable = transcriber.traitsOf(model).configurable ?? false;
      log.call(() => stream.configure?.({ eotThreshold: 0.9 }));
      speak();
      log.call(() => stream.configure?.({}));
      await log.untilCount(expected.length);
      await settle();
      expect(log.types()).toEqual(expected);
      if (configurable) expect(stream.configure).toBeTypeOf('function');
      stream.close();
    });

    test.each(counts)('emits nothing after a close behind event %i', async (count) => {
      const { log, stream, speak, expectNothingMore } = await open('hears');
      if (count > 0) {
        log.onEvent(() => {
          if (log.events.length === count) log.call(() => stream.close());
        });
        speak();
        await log.untilCount(Math.min(count, expected.length));
      }
      log.call(() => stream.close());
      log.call(() => stream.close());
      await expectNothingMore();
      expect(log.events.length).toBeLessThanOrEqual(count);
    });

    // What cannot fail is not slow either, nor does it stutter: a tape says what is on it, once.
    if (options.failures.length > 0) {
      test('waits for a slow provider within its deadline, and dials once', async () => {
        const { log, stream, speak, expectNothingMore, asked } = await open('slow');
        const openedMs = performance.now();
        speak();
        await log.untilCount(expected.length);
        expect(performance.now() - openedMs).toBeGreaterThan(SLOW_STALL_MS);
        await settle();
        expect(log.types()).toEqual(expected);
        expect(log.events.filter((event) => event.type !== 'ready')).toMatchObject(events);
        expect(asked()).toBe(1);
        log.call(() => stream.close());
        await expectNothingMore();
      });

      test('emits a final once although the provider repeats messages', async () => {
        const { log, stream, speak } = await open('doubled');
        speak();
        await log.untilCount(expected.length);
        await settle();
        expect(log.types()).toEqual(expected);
        stream.close();
      });
    }

    test.each(options.failures)('ends once and reports the failure: %s', async (failure) => {
      const { log, stream, speak, expectNothingMore, secret, asked } = await open(failure);
      speak();
      await log.until('failed');
      await expectNothingMore();
      const failed = log.events.filter((event) => event.type === 'failed');
      expect(failed).toHaveLength(1);
      expect(log.events.at(-1)?.type).toBe('failed');
      expectFailure(failed[0]?.error, failure, secret);
      log.call(() => stream.close());
      await expectNothingMore();
      expect(asked()).toBeLessThanOrEqual(1);
    });
  });
}

function optionsFor(format: AudioFormat, model: string | undefined): TranscriberOptions {
  const common = { provider: 'any', language: 'en', vocabulary: ['Trunkline'], format };
  return model === undefined ? common : { ...common, model };
}
