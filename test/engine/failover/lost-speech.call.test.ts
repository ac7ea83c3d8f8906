import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { StreamedSpeech, type StreamTiming } from '../simulation/streamed-speech.ts';
import { addSpeech, callWithAudio, failAt, openedStreams } from './call-with-audio.ts';

const SPEECH_START_MS = 1_000;
const QUESTION = 'Who are you?';
/** After the first word and before the second one ends. */
const AFTER_FIRST_WORD_MS = 1_480;
const ANSWER = 'I am the agent. I want to help you with all of your questions.';
const NOVA: StreamTiming = { lagMs: 100, finalMs: 300, interims: true, wordTimes: true };
const UNTIMED: StreamTiming = { ...NOVA, wordTimes: false };

interface LostCall {
  readonly lossesMs: readonly number[];
  readonly timing?: StreamTiming;
  readonly successorLagsMs?: readonly number[];
  readonly readyAfter?: number;
}

function callWithLosses({ lossesMs, timing = NOVA, successorLagsMs = [], readyAfter = 0.05 }: LostCall): Simulation {
  const call = new Simulation({
    agent: {},
    model: [{ text: ANSWER }, { text: 'A second answer.' }],
    transcriberStreams: [{ neverReady: true }, ...Array.from({ length: 4 }, () => ({ readyAfter }))],
  });
  for (const lossMs of lossesMs) failAt(call, lossMs / 1000);
  const speech = new StreamedSpeech(call, [{ startMs: SPEECH_START_MS, text: QUESTION }], timing, successorLagsMs);
  return speech.runUntil(20_000);
}

function expectOneAnswer(call: Simulation): void {
  expect(call.dialogue).toEqual([`user: ${QUESTION}`, `agent: ${ANSWER}`]);
  expect(call.commandTimesMs('playout.clear')).toEqual([]);
  // The answer that is heard is that to all words.
  expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe(QUESTION);
  expectReplay(call);
}

describe.each([
  { name: 'with word times', timing: NOVA },
  { name: 'without word times', timing: UNTIMED },
])('speech whose transcriber $name is lost after its first word', ({ timing }) => {
  it('is one entry with one answer', () => {
    expectOneAnswer(callWithLosses({ timing, lossesMs: [AFTER_FIRST_WORD_MS] }));
  });

  it('is one entry with one answer if the stream is lost twice', () => {
    expectOneAnswer(callWithLosses({ timing, lossesMs: [AFTER_FIRST_WORD_MS, 1_700] }));
  });

  it('is waited for although the successor is slow', () => {
    expectOneAnswer(callWithLosses({ timing, lossesMs: [AFTER_FIRST_WORD_MS], successorLagsMs: [4_000] }));
    expectOneAnswer(
      callWithLosses({ timing, lossesMs: [AFTER_FIRST_WORD_MS], readyAfter: 2.5, successorLagsMs: [4_000] }),
    );
  });

  it('is waited for in a bounded time, and amends the entry after it', () => {
    const call = callWithLosses({ timing, lossesMs: [AFTER_FIRST_WORD_MS], successorLagsMs: [8_000] });
    expect(call.dialogue.filter((text) => text.startsWith('user'))).toEqual([`user: ${QUESTION}`]);
    expect(call.commandTimesMs('model.request')[0]).toBe(AFTER_FIRST_WORD_MS + 50 + 5_000);
  });

  it('is waited for while the successor reports its words slowly', () => {
    const slow = { ...timing, catchUpSpeed: 0.5 };
    expectOneAnswer(callWithLosses({ timing: slow, lossesMs: [AFTER_FIRST_WORD_MS] }));
    expectOneAnswer(callWithLosses({ timing: slow, lossesMs: [AFTER_FIRST_WORD_MS], successorLagsMs: [3_000] }));
  });

  it('amends the entry if the stream is lost again after the commit', () => {
    const call = callWithLosses({
      timing,
      lossesMs: [AFTER_FIRST_WORD_MS, 7_400],
      successorLagsMs: [8_000, 100],
    });
    expect(call.dialogue.filter((text) => text.startsWith('user'))).toEqual([`user: ${QUESTION}`]);
  });
});

describe('a turn of one word whose transcriber is lost before its final', () => {
  const [SPEECH_START, SPEECH_END, WORD, LOSS, ALL_WORDS] = [1, 1.4, 2, 2.5, 3.5];

  /** The interim seems to cover the speech, and comes after the pause that ends the turn. The model is asked before the loss. */
  function lostAfterTurn(): Simulation {
    const call = callWithAudio({
      agent: {},
      model: [{ text: ANSWER, after: 0.6 }, { text: 'A second answer.' }],
      transcriberStreams: [{ neverReady: true }, ...Array.from({ length: 20 }, () => ({ readyAfter: 0.05 }))],
    });
    addSpeech(call, SPEECH_START, SPEECH_END);
    const times = { startMs: SPEECH_START * 1000, endMs: SPEECH_END * 1000 };
    call.at(WORD, () => call.emitTranscriberEvent({ type: 'interim', text: 'Who', ...times }));
    return failAt(call, LOSS);
  }

  it('is answered once, with all words, if nothing of the answer was heard', () => {
    const call = lostAfterTurn();
    // Times of the new stream count from the audio that it got.
    call.at(ALL_WORDS, () => {
      const fromMs = openedStreams(call).at(-1)?.fromMs ?? 0;
      call.emitFinal(SPEECH_START - fromMs / 1000, SPEECH_END - fromMs / 1000, QUESTION);
    });
    call.runUntil(12);
    expect(call.dialogue).toEqual([`user: ${QUESTION}`, 'agent: A second answer.']);
    expectReplay(call);
  });

  it('is answered with the known words if no new stream stays open', () => {
    const call = lostAfterTurn();
    for (let at = LOSS + 0.1; at < 10; at += 0.1) failAt(call, at);
    call.runUntil(12);
    expect(call.dialogue.slice(0, 2)).toEqual(['user: Who', `agent: ${ANSWER}`]);
    expectReplay(call);
  });

  it('is answered with the known words if the new stream reports none', () => {
    const call = lostAfterTurn().runUntil(12);
    expect(call.dialogue).toEqual(['user: Who', `agent: ${ANSWER}`]);
    expectReplay(call);
  });
});

describe('speech whose transcriber is lost', () => {
  const SLOW_FINAL = { ...NOVA, finalMs: 1_500 };

  it('between the commit and its final is one entry with one answer', () => {
    for (const lossMs of [2_600, 2_900, 3_200, 3_400]) {
      expectOneAnswer(callWithLosses({ timing: SLOW_FINAL, lossesMs: [lossMs] }));
    }
  });
});
