import { describe, expect, it } from 'vitest';
import { SPEECH_STOP_LATENESS_MS } from '../../../../engine/ports/media.ts';
import { VoiceActivityCall as Call, FRAME_MS, LOUD } from './voice-activity-call.ts';

/** Speech and background start with this many voiced frames. */
const START_FRAMES = 3;
const HANGOVER_FRAMES = SPEECH_STOP_LATENESS_MS / FRAME_MS;
/** A soft voice continues speech for this long, and is reported as background after the second time. */
const SOFT_FRAMES_MAX = 15;
const BACKGROUND_FRAMES = 10;
/** A soft answer is known after 0.8 s of voice, or with its end if it has 0.16 s. */
const ANSWER_FRAMES = 40;
const WORD_FRAMES = 8;
/** The mean of this many frames is compared with the level. */
const MEAN_FRAMES = 8;
/** The agent counts as silent from this many frames on. */
const UNHEARD_FRAMES = 10;
const softer = (db: number) => LOUD * 10 ** (-db / 20);
/** Softer than any answer, and an answer to the agent. */
const DISTANT = softer(22);
const ANSWER = softer(13.5);

/** A call in which the level of the user is known, and the user is silent. */
function learnt(): Call {
  const call = new Call({ level: true }).speech(2 * ANSWER_FRAMES).silence(2 * HANGOVER_FRAMES);
  expect(call.edges()).toEqual([
    ['speech_started', 0],
    ['speech_stopped', 2 * ANSWER_FRAMES * FRAME_MS],
  ]);
  return call;
}
/** Such a call in which the agent has just spoken. */
const asked = () =>
  learnt()
    .agent(true)
    .silence(2 * UNHEARD_FRAMES)
    .agent(false)
    .silence(UNHEARD_FRAMES);

describe('a voice far softer than the user', () => {
  it('is background speech, which is reported after 200 ms and ends after a pause of 200 ms', () => {
    const call = learnt();
    const sinceMs = call.nowMs;
    expect(call.voice(BACKGROUND_FRAMES - 1, DISTANT).edges()).toEqual([]);
    expect(call.voice(1, DISTANT).edges()).toEqual([['background_speech_started', sinceMs]]);
    const untilMs = call.voice(30, DISTANT).nowMs;
    expect(call.silence(HANGOVER_FRAMES - 1).edges()).toEqual([]);
    expect(call.silence(1).edges()).toEqual([['background_speech_stopped', untilMs]]);
    expect(call.silence(5 * HANGOVER_FRAMES).edges()).toEqual([]);
    expect(call.detector.isNearEnd).toBe(false);
  });

  it('is reported with its end if it is shorter, or not at all if it is a click', () => {
    const call = learnt();
    const sinceMs = call.nowMs;
    call.voice(START_FRAMES, DISTANT).silence(HANGOVER_FRAMES);
    expect(call.edges()).toEqual([
      ['background_speech_started', sinceMs],
      ['background_speech_stopped', sinceMs + START_FRAMES * FRAME_MS],
    ]);
    call.voice(START_FRAMES - 1, DISTANT).silence(HANGOVER_FRAMES);
    expect(call.edges()).toEqual([]);
  });

  it('goes on over a short pause', () => {
    const call = learnt();
    const sinceMs = call.nowMs;
    call
      .voice(20, DISTANT)
      .silence(HANGOVER_FRAMES - 1)
      .voice(20, DISTANT);
    expect(call.edges()).toEqual([['background_speech_started', sinceMs]]);
  });

  it('is reported each time', () => {
    const call = learnt();
    for (let at = 0; at < 2; at++) {
      const sinceMs = call.nowMs;
      call.voice(20, DISTANT).silence(HANGOVER_FRAMES);
      expect(call.edges()).toEqual([
        ['background_speech_started', sinceMs],
        ['background_speech_stopped', sinceMs + 20 * FRAME_MS],
      ]);
    }
  });

  it('ends where the user begins to speak, and does not count as their lasting speech', () => {
    const call = learnt().voice(30, DISTANT);
    const sinceMs = call.nowMs;
    call.edges();
    call.voice(1);
    const edges = [...call.events];
    expect(edges.slice(0, 2)).toEqual([
      { type: 'background_speech_stopped', audioMs: sinceMs - (START_FRAMES - 1) * FRAME_MS },
      { type: 'speech_started', audioMs: sinceMs - (START_FRAMES - 1) * FRAME_MS },
    ]);
    expect(call.detector.isNearEnd).toBe(true);
    call.events.splice(0);
    const lasted = call.voice(15).lasted();
    expect(lasted).toEqual([[200, sinceMs - (START_FRAMES - 1) * FRAME_MS]]);
  });

  it('that becomes loud within 200 ms is the soft beginning of the user’s speech', () => {
    const call = learnt();
    const sinceMs = call.nowMs;
    call.voice(BACKGROUND_FRAMES - 1, DISTANT).voice(1);
    expect(call.events).toEqual([
      { type: 'speech_started', audioMs: sinceMs },
      { type: 'speech_lasted', audioMs: sinceMs, lastedMs: 200 },
    ]);
    const short = learnt();
    short.voice(WORD_FRAMES - 3, DISTANT).voice(1);
    expect(short.edges()).toEqual([['speech_started', sinceMs]]);
  });

  it('after the user’s speech is part of it for 0.3 s, then it is background from the last loud voice on', () => {
    const call = learnt().voice(2 * MEAN_FRAMES);
    expect(call.edges()).toHaveLength(1);
    // The mean of the last frames is as loud as the user for a while.
    let softFrames = 0;
    while (call.voice(1, DISTANT).edges().length === 0) expect(++softFrames).toBeLessThan(100);
    expect(softFrames + 1).toBe(SOFT_FRAMES_MAX + MEAN_FRAMES);
  });

  it('after the user’s speech ends it where the loud voice ended', () => {
    const call = learnt().voice(2 * MEAN_FRAMES);
    call.edges();
    const lastLoudMs = call.nowMs + (MEAN_FRAMES - 1) * FRAME_MS;
    call.voice(2 * SOFT_FRAMES_MAX, DISTANT);
    expect(call.edges()).toEqual([
      ['speech_stopped', lastLoudMs],
      ['background_speech_started', lastLoudMs],
    ]);
    expect(call.detector.isNearEnd).toBe(false);
  });

  it('of the user who ends a sentence softly is speech to its end', () => {
    const call = learnt().voice(2 * MEAN_FRAMES);
    call.edges();
    const untilMs = call.voice(3 * SOFT_FRAMES_MAX, ANSWER).nowMs;
    expect(call.silence(HANGOVER_FRAMES).edges()).toEqual([['speech_stopped', untilMs]]);
  });
});

describe('sound that may be an echo of the agent', () => {
  it('is not what the level of the user is learnt from', () => {
    const call = new Call({ echo: true, level: true }).agent(true).speech(ANSWER_FRAMES + 10);
    call.agent(false).silence(HANGOVER_FRAMES).edges();
    const sinceMs = call.nowMs;
    expect(call.voice(20, DISTANT).edges()).toEqual([['speech_started', sinceMs]]);
  });
});

describe('a soft answer to the agent', () => {
  it('is speech from its start on, once it has lasted for 0.8 s', () => {
    const call = asked();
    const sinceMs = call.nowMs;
    call.voice(ANSWER_FRAMES - 1, ANSWER);
    expect(call.edges()).toEqual([['background_speech_started', sinceMs]]);
    expect(call.voice(1, ANSWER).edges()).toEqual([
      ['background_speech_stopped', sinceMs],
      ['speech_started', sinceMs],
    ]);
    const untilMs = call.voice(20, ANSWER).nowMs;
    expect(call.silence(HANGOVER_FRAMES).edges()).toEqual([['speech_stopped', untilMs]]);
  });

  it('is speech once it has ended, if it is a word', () => {
    const call = asked();
    const sinceMs = call.nowMs;
    call.voice(WORD_FRAMES, ANSWER).silence(HANGOVER_FRAMES);
    expect(call.edges()).toEqual([
      ['speech_started', sinceMs],
      ['speech_stopped', sinceMs + WORD_FRAMES * FRAME_MS],
    ]);
    expect(call.detector.isNearEnd).toBe(false);
    const noise = asked();
    noise.voice(WORD_FRAMES - 1, ANSWER).silence(HANGOVER_FRAMES);
    expect(noise.edges().map(([type]) => type)).toEqual(['background_speech_started', 'background_speech_stopped']);
  });

  it('is speech once it has ended, also if it was reported as background', () => {
    const call = asked();
    const sinceMs = call.nowMs;
    call.voice(ANSWER_FRAMES / 2, ANSWER).silence(HANGOVER_FRAMES);
    expect(call.edges()).toEqual([
      ['background_speech_started', sinceMs],
      ['background_speech_stopped', sinceMs],
      ['speech_started', sinceMs],
      ['speech_stopped', sinceMs + (ANSWER_FRAMES / 2) * FRAME_MS],
    ]);
  });

  it('is no answer without a question', () => {
    const call = learnt();
    const sinceMs = call.nowMs;
    call.voice(ANSWER_FRAMES, ANSWER).silence(HANGOVER_FRAMES);
    expect(call.edges()).toEqual([
      ['background_speech_started', sinceMs],
      ['background_speech_stopped', sinceMs + ANSWER_FRAMES * FRAME_MS],
    ]);
  });
});

describe('a pause of the stream', () => {
  it('ends background speech at its last voice', () => {
    const call = learnt();
    const sinceMs = call.nowMs;
    call.voice(20, DISTANT).silence(4).interrupt();
    expect(call.edges()).toEqual([
      ['background_speech_started', sinceMs],
      ['background_speech_stopped', sinceMs + 20 * FRAME_MS],
    ]);
    expect(call.interrupt().edges()).toEqual([]);
  });

  it('ends a soft word of the user', () => {
    const call = asked();
    const sinceMs = call.nowMs;
    call.voice(WORD_FRAMES, ANSWER).interrupt();
    expect(call.edges()).toEqual([
      ['speech_started', sinceMs],
      ['speech_stopped', sinceMs + WORD_FRAMES * FRAME_MS],
    ]);
  });

  it('ends the stretch of voice: the next one is judged alone', () => {
    const call = asked().voice(ANSWER_FRAMES, ANSWER);
    expect(call.edges().at(-1)?.[0]).toBe('speech_started');
    call.interrupt().edges();
    call.voice(ANSWER_FRAMES - 1, ANSWER);
    expect(call.edges().map(([type]) => type)).toEqual(['background_speech_started']);
    expect(
      call
        .voice(1, ANSWER)
        .edges()
        .map(([type]) => type),
    ).toEqual(['background_speech_stopped', 'speech_started']);
  });
});
