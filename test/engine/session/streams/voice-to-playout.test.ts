import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { CallEvent } from '../../../../engine/core/event.ts';
import type { VoiceEvent } from '../../../../engine/ports/voice.ts';
import { VoiceToPlayout } from '../../../../engine/session/streams/voice-to-playout.ts';
import { Simulation } from '../../simulation/simulation.ts';
import { UnframedMedia } from '../../simulation/unframed-media.ts';

const ERROR = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const OPTIONS = { provider: 'test', name: 'voice', language: 'en', speed: 1 };

function laneWithRoomFor(packets: number) {
  const media = new UnframedMedia(new SimulatedClock(0));
  const given: string[] = [];
  const told: CallEvent[] = [];
  const room = { packets };
  media.play = (_utterance, segment) => {
    if (room.packets === 0) return false;
    room.packets--;
    given.push(`${segment} audio`);
    return true;
  };
  media.endSegment = (_utterance, segment) => given.push(`${segment} ends`);
  let emit: (event: VoiceEvent) => void = () => {};
  const voice = {
    open: (_options: object, listener: (event: VoiceEvent) => void) => {
      emit = listener;
      return { speak: () => {}, cancel: () => {}, close: () => {} };
    },
  };
  const lane = new VoiceToPlayout(voice, media, (event, claim) => {
    if (claim?.() !== false) told.push(event);
  });
  lane.openStream(OPTIONS);
  const audio = (segment: number) => emit({ type: 'audio', segment, format: media.format, audio: new Uint8Array(800) });
  return { lane, given, told, room, audio, emit: (event: VoiceEvent) => emit(event) };
}

describe('cancelling from a segment on', () => {
  it('keeps what was spoken before it and still waits for room', () => {
    const { lane, given, room, audio, emit } = laneWithRoomFor(1);
    lane.speak(1, 1, 'First.');
    lane.speak(1, 2, 'Second.');
    for (let packet = 0; packet < 3; packet++) audio(1);
    emit({ type: 'done', segment: 1 });
    audio(2);
    emit({ type: 'failed', segment: 2, error: ERROR });
    lane.cancel(2);
    lane.speak(1, 3, 'Second.');
    room.packets = 10;
    lane.drain();
    audio(3);
    emit({ type: 'done', segment: 3 });
    expect(given).toEqual(['1 audio', '1 audio', '1 audio', '1 ends', '3 audio', '3 ends']);
  });

  it('from the first one on leaves nothing, and tells nothing of it', () => {
    const { lane, given, told, room, audio, emit } = laneWithRoomFor(0);
    lane.speak(1, 1, 'First.');
    lane.speak(1, 2, 'Second.');
    audio(1);
    lane.cancel(1);
    const before = told.length;
    room.packets = 10;
    lane.drain();
    audio(1);
    emit({ type: 'failed', segment: 2, error: ERROR });
    expect(given).toEqual([]);
    expect(told).toHaveLength(before);
  });
});

describe('a voice that is lost once', () => {
  const three = { text: 'First sentence here. Second sentence here. Third sentence here.' };

  it('speaks all that it owed again, in order, where none of it was heard', () => {
    const call = new Simulation({ agent: {}, model: [three], voice: { fails: 'once' } })
      .userSpeaks(0.5, 1, 'Hello.')
      .runUntil(20);
    expect(call.endReason).toBeNull();
    expect(call.heard.map(({ text }) => text)).toEqual([
      'First sentence here.',
      'Second sentence here.',
      'Third sentence here.',
    ]);
    expect(call.dialogue.at(-1)).toBe(`agent: ${three.text}`);
  });

  it('and again ends the call', () => {
    const call = new Simulation({ agent: {}, model: [three], voice: { fails: 'always' } })
      .userSpeaks(0.5, 1, 'Hello.')
      .runUntil(20);
    expect(call.endReason).toBe('voice_error');
    expect(call.heard).toEqual([]);
    // What was asked for and once more, then the three sentences of the apology.
    expect(call.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(9);
  });
});

describe('a voice that takes long over one segment', () => {
  it('has not failed the next one, which it has not come to', () => {
    const text = 'This is a sentence of some length, spoken slowly. And this is the next.';
    const call = new Simulation({ agent: { initial_message: text }, voice: { stalls: true } })
      .at(0.2, (one) => one.handle.post({ type: 'voice.started', segment: 1 }))
      .at(0.3, (one) => one.media.emit({ type: 'segment_started', utterance: 1, segment: 1, playedMs: 0 }))
      .runUntil(12);
    expect(call.logs).toEqual([]);
    expect(call.endReason).toBeNull();
    call
      .at(12.1, (one) => one.handle.post({ type: 'voice.done', segment: 1, durationMs: 12_000 }))
      .at(12.3, (one) => one.media.emit({ type: 'segment_ended', utterance: 1, segment: 1, playedMs: 12_000 }))
      .runUntil(40);
    // The segment, the same once more, and the apology.
    expect(call.logs.filter((line) => line.includes('the voice failed'))).toHaveLength(3);
    expect(call.endReason).toBe('voice_error');
  });
});

it('a stream that cannot be closed does not cost the one in its place', () => {
  const media = new UnframedMedia(new SimulatedClock(0));
  const texts: string[] = [];
  const told: CallEvent[] = [];
  const voice = {
    open: () => ({
      speak: (segment: number, text: string) => texts.push(`${segment} ${text}`),
      cancel: () => {},
      close: () => {
        throw new Error('injected');
      },
    }),
  };
  const lane = new VoiceToPlayout(voice, media, (event) => told.push(event));
  lane.openStream(OPTIONS);
  lane.openStream(OPTIONS);
  lane.speak(1, 1, 'First.');
  expect(texts).toEqual(['1 First.']);
  expect(told).toEqual([]);
  expect(() => lane.close()).not.toThrow();
});
