import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { providerFailure } from '../../../adapters/provider-failure/provider-failure.ts';
import { SegmentQueue } from '../../../adapters/segmented-voice/segment-queue.ts';
import type { SegmentSink, SegmentSource } from '../../../adapters/segmented-voice/segment-source.ts';
import { createSpeechText } from '../../../adapters/text-normalisation/speech-text.ts';
import type { VoiceEvent } from '../../../engine/ports/voice.ts';

const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const DEADLINES = { firstAudioMs: 400, stallMs: 300 };

/** A source that emits nothing by itself: the test calls its sinks. */
class ManualSource implements SegmentSource {
  readonly segmentsMax = 2;
  readonly started: { readonly text: string; readonly sink: SegmentSink; isFirst: boolean; dropped: boolean }[] = [];
  abandoned = 0;
  closed = 0;

  begin(text: string, sink: SegmentSink) {
    const run = { text, sink, isFirst: false, dropped: false };
    this.started.push(run);
    return {
      becomeFirst: () => {
        run.isFirst = true;
      },
      drop: () => {
        run.dropped = true;
      },
    };
  }

  abandon(): void {
    this.abandoned++;
  }

  close(): void {
    this.closed++;
  }

  sink(nth: number): SegmentSink {
    const run = this.started[nth];
    if (run === undefined) throw new Error(`segment ${nth} was not started`);
    return run.sink;
  }
}

describe('segment queue', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function open(react: (event: VoiceEvent, queue: SegmentQueue) => void = () => undefined) {
    const source = new ManualSource();
    const events: VoiceEvent[] = [];
    const queue: SegmentQueue = new SegmentQueue({
      provider: 'manual',
      source,
      deadlines: DEADLINES,
      prepare: createSpeechText({ language: 'en', voiceNormalisesText: true, pronunciations: [] }),
      emit: (event) => {
        events.push(event);
        react(event, queue);
      },
    });
    const eventNames = () => events.map((event) => `${event.type} ${event.segment}`);
    return { source, queue, events, eventNames };
  }

  it('starts the next segment before the current one ends, and keeps its events until its turn', () => {
    const { source, queue, eventNames } = open();
    for (const [segment, text] of ['One.', 'Two.', 'Three.'].entries()) queue.speak(segment, text);
    expect(source.started.map(({ text, isFirst }) => [text, isFirst])).toEqual([
      ['One.', true],
      ['Two.', false],
    ]);
    source.sink(1).audio(FORMAT, Buffer.alloc(10));
    source.sink(1).done();
    expect(eventNames()).toEqual([]);
    source.sink(0).audio(FORMAT, Buffer.alloc(10));
    source.sink(0).done();
    expect(eventNames()).toEqual(['audio 0', 'done 0', 'audio 1', 'done 1']);
    expect(source.started.map(({ text, isFirst }) => [text, isFirst])).toContainEqual(['Three.', true]);
  });

  it('fails if a segment that waits for its turn exceeds the bound of a segment', () => {
    const { source, queue, events } = open();
    queue.speak(0, 'One.');
    queue.speak(1, 'Two.');
    for (let n = 0; n < 5; n++) source.sink(1).audio(FORMAT, Buffer.alloc(1024 * 1024));
    expect(events).toMatchObject([
      { type: 'failed', segment: 0, error: { code: 'malformed' } },
      { type: 'failed', segment: 1, error: { code: 'malformed' } },
    ]);
    expect(source.started.every(({ dropped }) => dropped)).toBe(true);
  });

  it('restarts the first-audio deadline with each segment’s turn, and the stall deadline with each chunk', () => {
    const { source, queue, eventNames } = open();
    queue.speak(0, 'One.');
    queue.speak(1, 'Two.');
    vi.advanceTimersByTime(399);
    source.sink(0).audio(FORMAT, Buffer.alloc(10));
    vi.advanceTimersByTime(299);
    source.sink(0).audio(FORMAT, Buffer.alloc(10));
    vi.advanceTimersByTime(299);
    source.sink(0).done();
    vi.advanceTimersByTime(399);
    expect(eventNames()).toEqual(['audio 0', 'audio 0', 'done 0']);
    expect(source.abandoned).toBe(0);
    vi.advanceTimersByTime(1);
    expect(eventNames().at(-1)).toBe('failed 1');
    expect(source.abandoned).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has no deadline without a segment', () => {
    const { source, queue, eventNames } = open();
    queue.speak(0, 'One.');
    source.sink(0).done();
    vi.advanceTimersByTime(100_000);
    expect(eventNames()).toEqual(['done 0']);
    queue.close();
    queue.close();
    expect(source.closed).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a cancel from inside any event drops all queued events', () => {
    const { source, queue, eventNames } = open((event) => {
      if (event.type === 'words') queue.cancel();
    });
    queue.speak(0, 'One.');
    queue.speak(1, 'Two.');
    source.sink(1).audio(FORMAT, Buffer.alloc(10));
    // Half a word is emitted when the segment ends. Its listener cancels the segment at that moment.
    source.sink(0).words([{ text: 'On', startMs: 0, endMs: 10 }]);
    source.sink(0).done();
    source.sink(1).done();
    expect(eventNames()).toEqual(['words 0']);
    queue.speak(2, 'Three.');
    source.sink(2).done();
    expect(eventNames()).toEqual(['words 0', 'done 2']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a segment requested from inside a failure does not fail with it', () => {
    const { source, queue, eventNames } = open((event) => {
      if (event.type === 'failed' && event.segment === 0) queue.speak(7, 'Again.');
    });
    queue.speak(0, 'One.');
    queue.speak(1, 'Two.');
    source.sink(1).failed(providerFailure('manual', 'closed', 'gone'));
    expect(eventNames()).toEqual([]);
    source.sink(0).failed(providerFailure('manual', 'closed', 'gone'));
    expect(eventNames()).toEqual(['failed 0', 'failed 1']);
    source.sink(2).done();
    expect(eventNames().at(-1)).toBe('done 7');
  });
});
