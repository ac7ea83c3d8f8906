import { describe, expect, it } from 'vitest';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { CHARACTER_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { StreamedSpeech } from '../simulation/streamed-speech.ts';

const agent = { max_monologue: 5 };
const NOTE = '[The caller is still talking. Answer briefly what they have said so far.]';
const STORY = 'it all began when I came home late and found the door open so I called my neighbour';
const words = STORY.split(' ');
const SPEECH_START_MS = 1_000;
/** The user speaks two words a second. */
const startOf = (index: number) => SPEECH_START_MS + index * 500;
const ANSWER_MS = SPEECH_START_MS + agent.max_monologue * 1000 + MODEL_MS + VOICE_MS;

function wordTimes(count: number): readonly TranscribedWord[] {
  return words.slice(0, count).map((text, index) => ({ text, startMs: startOf(index), endMs: startOf(index + 1) }));
}

/** Interim results come 0.2 s after each word, and a final with all words at the end. */
function callWithStory(options: Partial<{ withTimes: boolean; agent: object }> = {}): Simulation {
  const call = new Simulation({ agent: options.agent ?? agent }).at(1, (call) =>
    call.media.emit({ type: 'speech_started', audioMs: SPEECH_START_MS }),
  );
  for (let count = 1; count < words.length; count++) {
    const text = words.slice(0, count).join(' ');
    const endMs = startOf(count);
    call.at((endMs + 200) / 1000, (call) =>
      call.emitTranscriberEvent({ type: 'interim', text, startMs: SPEECH_START_MS, endMs }),
    );
  }
  const endMs = startOf(words.length);
  const finalWords = options.withTimes === true ? wordTimes(words.length) : [];
  return call
    .at(endMs / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: endMs }))
    .at(endMs / 1000 + 0.3, (call) =>
      call.emitTranscriberEvent({
        type: 'final',
        text: STORY,
        words: finalWords,
        startMs: SPEECH_START_MS,
        endMs,
      }),
    );
}

function userText(call: Simulation): string {
  return call.dialogue
    .filter((text) => text.startsWith('user: '))
    .map((text) => text.slice('user: '.length))
    .join(' ');
}

describe('a user who does not stop talking', () => {
  it.each([true, false])(
    'is answered at the limit, without losing or repeating a word (word times: %s)',
    (withTimes) => {
      const call = callWithStory({ withTimes }).runUntil(30);
      const [first, second] = call.modelRequests.map(({ messages }) => messages.at(-1)?.content);
      // Nine words have been transcribed at the limit.
      expect(first).toBe(`${words.slice(0, 9).join(' ')} ${NOTE}`);
      expect(call.turns[0]?.user).toMatchObject({ endedBy: 'monologue_limit' });
      expect(call.heard[0]).toMatchObject({ text: 'Yes.', fromMs: ANSWER_MS });
      expect(userText(call)).toBe(STORY);
      expect(second).toBe(words.slice(9).join(' '));
      expect(JSON.stringify(call.journal)).not.toContain('still talking');
      expectReplay(call);
    },
  );

  it('does not interrupt the agent by continuing', () => {
    const call = callWithStory().runUntil(30);
    expect(call.heard[0]).toEqual({ text: 'Yes.', fromMs: ANSWER_MS, toMs: ANSWER_MS + 'Yes.'.length * CHARACTER_MS });
    expect(call.commandTimesMs('model.cancel')).toEqual([]);
  });

  it('is not interrupted without a limit', () => {
    const call = callWithStory({ agent: {} }).runUntil(30);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe(STORY);
  });

  it('is answered normally if the turn ends before the limit', () => {
    const call = new Simulation({ agent }).userSpeaks(0.5, 5.2, 'I want a table.').runUntil(10);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe('I want a table.');
  });

  it('is not answered before the first word', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: SPEECH_START_MS }))
      .runUntil(30);
    expect(call.modelRequests).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('is answered at the limit with a transcriber that detects turns too', () => {
    const call = new Simulation({ agent, parameters: { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } } });
    const turn = (phase: 'started' | 'updated' | 'ended', count: number) =>
      call.at((startOf(count) + 200) / 1000, (call) =>
        call.emitTranscriberEvent({
          type: 'turn',
          phase,
          text: words.slice(0, count).join(' '),
          startMs: SPEECH_START_MS,
          endMs: startOf(count),
        }),
      );
    turn('started', 1);
    for (let count = 2; count < words.length; count++) turn('updated', count);
    turn('ended', words.length);
    call.runUntil(30);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      `${words.slice(0, 9).join(' ')} ${NOTE}`,
      words.slice(9).join(' '),
    ]);
    expect(userText(call)).toBe(STORY);
  });
});

describe('a user who has stopped before the limit', () => {
  /** Ends 0.4 s before the limit: its last words are known after it. */
  const SAID = words.slice(0, 15).join(' ');

  it.each([
    [700, 300],
    [700, 1_500],
    [1_200, 2_500],
  ])('has one entry and one answer, if their words are %i ms late, and finals %i ms', (lagMs, finalMs) => {
    const call = new Simulation({ agent });
    const timing = { lagMs, finalMs, interims: true, wordTimes: true };
    new StreamedSpeech(call, [{ startMs: 500, text: SAID }], timing).runUntil(20_000);
    expect(call.dialogue).toEqual([`user: ${SAID}`, 'agent: Yes.']);
    expect(call.modelRequests).toHaveLength(1);
    expectReplay(call);
  });

  it('has one entry with a transcriber that detects turns', () => {
    const call = new Simulation({ agent, parameters: { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } } });
    const said = (phase: 'updated' | 'ended', count: number) =>
      ({ type: 'turn', phase, text: words.slice(0, count).join(' '), startMs: 1_000, endMs: 5_800 }) as const;
    call
      .at(1, ({ media }) => media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(5, () => call.emitTranscriberEvent(said('updated', 6)))
      .at(5.8, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 5_800 }))
      .at(7.4, () => call.emitTranscriberEvent(said('ended', 9)))
      .runUntil(20);
    expect(call.dialogue).toEqual([`user: ${words.slice(0, 9).join(' ')}`, 'agent: Yes.']);
    expect(call.turns[0]?.user).toMatchObject({ endedBy: 'provider' });
  });
});
