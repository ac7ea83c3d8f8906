import { describe, expect, it } from 'vitest';
import type { CallEvent, InboxRecord } from '../../../../engine/core/event.ts';
import type { SpansEntry } from '../../../../engine/timeline/call-span.ts';
import type { MediaQuality } from '../../../../sip/media/quality/media-quality.ts';
import { SpanRecorder } from '../../../../src/calls/host/span-recorder.ts';

const DIRECTION = { packets: 240, lost: 10, jitterMs: { mean: 2, max: 9 }, mos: 4 };
const QUALITY: MediaQuality = {
  roundTripMs: { mean: 40, max: 60 },
  inbound: DIRECTION,
  outbound: { packets: 250, lost: null, jitterMs: null, mos: null },
};

function record(event: CallEvent, atS: number): InboxRecord {
  return { seq: 0, atUs: atS * 1e6, event, commands: [] };
}

function recorderOf(qualityInterval?: () => MediaQuality | null) {
  const stored: SpansEntry[] = [];
  const session = qualityInterval === undefined ? {} : { qualityInterval };
  return {
    recorder: new SpanRecorder(session, { store: (entry) => stored.push(entry), redact: () => 'redacted' }),
    stored,
  };
}

describe('a span recorder', () => {
  it('keeps spans for the next journal entry, and gives each once', () => {
    const { recorder, stored } = recorderOf();
    recorder.add(record({ type: 'control.answered' }, 1));
    recorder.add(record({ type: 'control.on_hold' }, 2));
    recorder.add(record({ type: 'control.off_hold' }, 3));
    expect(recorder.take()).toMatchObject({ part: 1, spans: [{ type: 'answered' }, { type: 'on_hold' }] });
    expect(recorder.take()).toBeNull();
    expect(stored).toEqual([]);
  });

  it('redacts an error when its span ends, and not later, when the recording may have been resumed', () => {
    let isPaused = true;
    const redact = (text: string) => (isPaused ? '[not recorded]' : text);
    const recorder = new SpanRecorder({}, { store: () => {}, redact });
    const notice = { type: 'provider_failed', kind: 'voice', provider: 'p', error: 'the input was «4111»' } as const;
    recorder.add({ ...record({ type: 'control.answered' }, 1), commands: [{ type: 'log', notice }] });
    isPaused = false;
    const text = JSON.stringify(recorder.take());
    expect(text).toContain('[not recorded]');
    expect(text).not.toContain('4111');
  });

  it('stores spans at once when too many wait', () => {
    const { recorder, stored } = recorderOf();
    for (let second = 0; second < 70; second++) {
      recorder.add(record({ type: 'control.on_hold' }, second));
      recorder.add(record({ type: 'control.off_hold' }, second + 0.5));
    }
    expect(stored.map(({ part, spans }) => [part, spans.length])).toEqual([[1, 64]]);
    expect(recorder.take()).toMatchObject({ part: 2 });
  });

  it('samples the network with events of the call, at most every five seconds, and at the end', () => {
    let reads = 0;
    const { recorder } = recorderOf(() => {
      reads++;
      return QUALITY;
    });
    for (const atS of [1, 4, 6, 8, 12]) recorder.add(record({ type: 'call.context', content: '' }, atS));
    recorder.add(record({ type: 'control.ended', cause: 'remote_bye' }, 13));
    expect(reads).toBe(3);
    const samples = recorder.take()?.spans.filter(({ type }) => type === 'network');
    expect(samples?.map(({ fromUs, toUs }) => [fromUs / 1e6, toUs / 1e6])).toEqual([
      [0, 6],
      [6, 12],
      [12, 13],
    ]);
    expect(samples?.[0]).toMatchObject({
      inbound: { packets: 240, lost: 10, jitterMs: 2, mos: 4 },
      outbound: { packets: 250, lost: null, jitterMs: null, mos: null },
      roundTripMs: 40,
    });
  });

  it('has no sample without RTP or before its first packet', () => {
    for (const { recorder } of [recorderOf(), recorderOf(() => null)]) {
      recorder.add(record({ type: 'call.context', content: '' }, 9));
      expect(recorder.take()).toBeNull();
    }
  });
});
