import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { CallEvent } from '../../../../engine/core/event.ts';
import type { VoiceEvent } from '../../../../engine/ports/voice.ts';
import { VoiceToPlayout } from '../../../../engine/session/streams/voice-to-playout.ts';
import { Simulation } from '../../simulation/simulation.ts';
import { UnframedMedia } from '../../simulation/unframed-media.ts';

const ERROR = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const OPTIONS = { provider: 'test', name: 'voice', language: 'en', speed: 1 };

function setUpWithRoomFor(packets: number) {
  const media = new UnframedMedia(new SimulatedClock(0));
  const playoutCalls: string[] = [];
  const postedEvents: CallEvent[] = [];
  const room = { packets };
  media.play = (_utterance, segment) => {
    if (room.packets === 0) return false;
    room.packets--;
    playoutCalls.push(`${segment} audio`);
    return true;
  };
  media.endSegment = (_utterance, segment) => playoutCalls.push(`${segment} ends`);
  let emit: (event: VoiceEvent) => void = () => {};
  const voice = {
    open: (_options: object, listener: (event: VoiceEvent) => void) => {
      emit = listener;
      return { speak: () => {}, cancel: () => {}, close: () => {} };
    },
  };
  const voiceToPlayout = new VoiceToPlayout(voice, media, (event, isStillWanted) => {
    if (isStillWanted?.() !== false) postedEvents.push(event);
  });
  voiceToPlayout.openStream(OPTIONS);
  const audio = (segment: number) => emit({ type: 'audio', segment, format: media.format, audio: new Uint8Array(800) });
  return { voiceToPlayout, playoutCalls, postedEvents, room, audio, emit: (event: VoiceEvent) => emit(event) };
}

it('marks the audio of a segment as duckable only if the user may interrupt it', () => {
  const marked = (agent: object) => {
    const call = new Simulation({ agent: { initial_message: 'Hello.', ...agent } });
    const marks = new Set<boolean | undefined>();
    const { media } = call;
    const play = media.play.bind(media);
    media.play = (utterance, segment, format, audio, isDuckable?: boolean) => {
      marks.add(isDuckable);
      return play(utterance, segment, format, audio);
    };
    call.runUntil(5);
    return [...marks];
  };
  expect(marked({})).toEqual([true]);
  expect(marked({ interruptions: false })).toEqual([false]);
  expect(marked({ initial_message_interruptible: false })).toEqual([false]);
});

describe('cancelling from a segment on', () => {
  it('keeps earlier audio that still waits for room in the playout', () => {
    const { voiceToPlayout, playoutCalls, room, audio, emit } = setUpWithRoomFor(1);
    voiceToPlayout.speak(1, 1, 'First.');
    voiceToPlayout.speak(1, 2, 'Second.');
    for (let packet = 0; packet < 3; packet++) audio(1);
    emit({ type: 'done', segment: 1 });
    audio(2);
    emit({ type: 'failed', segment: 2, error: ERROR });
    voiceToPlayout.cancel(2);
    voiceToPlayout.speak(1, 3, 'Second.');
    room.packets = 10;
    voiceToPlayout.drain();
    audio(3);
    emit({ type: 'done', segment: 3 });
    expect(playoutCalls).toEqual(['1 audio', '1 audio', '1 audio', '1 ends', '3 audio', '3 ends']);
  });

  it('drops everything when it is the first segment, and emits no event for it', () => {
    const { voiceToPlayout, playoutCalls, postedEvents, room, audio, emit } = setUpWithRoomFor(0);
    voiceToPlayout.speak(1, 1, 'First.');
    voiceToPlayout.speak(1, 2, 'Second.');
    audio(1);
    voiceToPlayout.cancel(1);
    const before = postedEvents.length;
    room.packets = 10;
    voiceToPlayout.drain();
    audio(1);
    emit({ type: 'failed', segment: 2, error: ERROR });
    expect(playoutCalls).toEqual([]);
    expect(postedEvents).toHaveLength(before);
  });
});

describe('a voice that fails', () => {
  const response = { text: 'First sentence here. Second sentence here. Third sentence here.' };

  it('repeats its pending segments in order after one failure', () => {
    const call = new Simulation({ agent: {}, model: [response], voice: { fails: 'once' } })
      .userSpeaks(0.5, 1, 'Hello.')
      .runUntil(20);
    expect(call.endReason).toBeNull();
    expect(call.heard.map(({ text }) => text)).toEqual([
      'First sentence here.',
      'Second sentence here.',
      'Third sentence here.',
    ]);
    expect(call.dialogue.at(-1)).toBe(`agent: ${response.text}`);
  });

  it('ends the call after the retries and both apologies', () => {
    const call = new Simulation({ agent: {}, model: [response], voice: { fails: 'always' } })
      .userSpeaks(0.5, 1, 'Hello.')
      .runUntil(20);
    expect(call.endReason).toBe('voice_error');
    expect(call.heard).toEqual([]);
    // The three sentences, at once again and after four delays; the two and the three sentences of the apologies.
    expect(call.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(6 * 3 + 2 + 3);
  });
});

describe('a voice that takes long for one segment', () => {
  it('gets no timeout for the next segment before it reaches that', () => {
    const text = 'This is a sentence of some length, spoken slowly. And this is the next.';
    const call = new Simulation({ agent: { initial_message: text }, voice: { stalls: true } })
      .at(0.2, (call) => call.handle.post({ type: 'voice.started', segment: 1 }))
      .at(0.3, (call) => call.media.emit({ type: 'segment_started', utterance: 1, segment: 1, playedMs: 0 }))
      .runUntil(12);
    expect(call.notices).toEqual([]);
    expect(call.endReason).toBeNull();
    call
      .at(12.1, (call) => call.handle.post({ type: 'voice.done', segment: 1, durationMs: 12_000 }))
      .at(12.3, (call) => call.media.emit({ type: 'segment_ended', utterance: 1, segment: 1, playedMs: 12_000 }))
      .runUntil(40);
    // The segment, its repetition, and both apologies.
    expect(call.noticesOf('provider_failed')).toHaveLength(4);
    expect(call.endReason).toBe('voice_error');
  });
});

it('a voice stream that fails to close does not disturb its successor', () => {
  const media = new UnframedMedia(new SimulatedClock(0));
  const texts: string[] = [];
  const postedEvents: CallEvent[] = [];
  const voice = {
    open: () => ({
      speak: (segment: number, text: string) => texts.push(`${segment} ${text}`),
      cancel: () => {},
      close: () => {
        throw new Error('injected');
      },
    }),
  };
  const voiceToPlayout = new VoiceToPlayout(voice, media, (event) => postedEvents.push(event));
  voiceToPlayout.openStream(OPTIONS);
  voiceToPlayout.openStream(OPTIONS);
  voiceToPlayout.speak(1, 1, 'First.');
  expect(texts).toEqual(['1 First.']);
  expect(postedEvents).toEqual([]);
  expect(() => voiceToPlayout.close()).not.toThrow();
});
