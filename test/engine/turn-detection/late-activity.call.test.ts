import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const QUESTION = 'Shall I book it?';
const TRAITS = { detectsTurns: false, finalP99Ms: 500, wordEndSlackMs: 250 };
const FLUX = { detectsTurns: true, finalP99Ms: 500, wordEndSlackMs: 250 };
/** The media worker reports a soft answer this long after its end, in s. */
const REPORT = 0.2;
/** The question is heard from 2 to 2.8 s. */
const ANSWER = { from: 3, until: 3.4 };
/** From the end of the answer to its final, in s: before and after the report. */
const FINALS_AFTER = [0.05, 0.12, 0.18, 0.25];

function callWith(transcriberTraits: typeof TRAITS): Simulation {
  const model = [{ text: QUESTION }, { text: 'Booked.' }];
  const call = new Simulation({ agent: { initial_message: '' }, parameters: { transcriberTraits }, model });
  if (!transcriberTraits.detectsTurns) return call.userSpeaks(0.5, 1.5, 'I want a table.');
  return call
    .at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }))
    .at(1.5, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
    .at(1.7, (call) =>
      call.emitTranscriberEvent({ type: 'turn', phase: 'ended', ...said(0.5, 1.5, 'I want a table.') }),
    );
}

function said(from: number, until: number, text: string) {
  const spoken = text.split(' ');
  const eachMs = ((until - from) * 1000) / spoken.length;
  const words = spoken.map((word, at) => ({
    text: word,
    startMs: from * 1000 + at * eachMs,
    endMs: from * 1000 + (at + 1) * eachMs,
  }));
  return { text, words, startMs: from * 1000, endMs: until * 1000 };
}

/** A soft voice, reported as background first and as the user's speech after its end. */
function softVoice(call: Simulation, from: number, until: number, report = REPORT): Simulation {
  const startMs = from * 1000;
  return call
    .at(from + 0.2, ({ media }) => media.emit({ type: 'background_speech_started', audioMs: startMs }))
    .at(until + report, ({ media }) => media.emit({ type: 'background_speech_stopped', audioMs: startMs }))
    .at(until + report, ({ media }) => media.emit({ type: 'speech_started', audioMs: startMs }))
    .at(until + report, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: until * 1000 }));
}

function finalAt(call: Simulation, at: number, from: number, until: number, text: string): Simulation {
  return call.at(at, (call) => call.emitTranscriberEvent({ type: 'final', ...said(from, until, text) }));
}

function expectAnswered(call: Simulation, text = 'Yes please.'): void {
  call.runUntil(20);
  expect(call.dialogue).toEqual(['user: I want a table.', `agent: ${QUESTION}`, `user: ${text}`, 'agent: Booked.']);
  expect(call.modelRequests).toHaveLength(2);
}

function expectUnanswered(call: Simulation): void {
  call.runUntil(8);
  expect(call.dialogue).toEqual(['user: I want a table.', `agent: ${QUESTION}`]);
  expect(call.modelRequests).toHaveLength(1);
}

describe('a soft answer whose final comes before the report of its speech', () => {
  it('is answered as one whose final comes after it', () => {
    for (const after of FINALS_AFTER) {
      const { from, until } = ANSWER;
      const timed = softVoice(callWith(TRAITS), from, until);
      finalAt(timed, until + after, from, until, 'Yes please.');
      expectAnswered(timed);
      const untimed = softVoice(callWith(TRAITS), from, until);
      untimed.at(until + after, (call) => call.emitFinal(from, until, 'Yes please.'));
      expectAnswered(untimed);
    }
  });

  it('is answered after a question whose echo is known', () => {
    for (const after of FINALS_AFTER) {
      const call = callWith(TRAITS)
        .at(1.9, ({ media }) => media.emit({ type: 'echo_learnt', delayMs: 300 }))
        .at(3.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 2_950 }))
        .at(3.5, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 3_300 }));
      expectAnswered(finalAt(call, 3.3 + after, 2.95, 3.3, 'Yes please.'));
    }
  });

  it('is answered if the transcriber detects its end', () => {
    for (const after of FINALS_AFTER) {
      const { from, until } = ANSWER;
      const call = softVoice(callWith(FLUX), from, until).at(until + after, (call) =>
        call.emitTranscriberEvent({ type: 'turn', phase: 'ended', ...said(from, until, 'Yes please.') }),
      );
      expectAnswered(call);
      expect(call.heard.at(-1)?.fromMs).toBeLessThan(4_300);
    }
  });

  it('is one entry with the louder words before it', () => {
    for (const after of FINALS_AFTER) {
      const call = callWith(TRAITS)
        .at(3, ({ media }) => media.emit({ type: 'speech_started', audioMs: 3_000 }))
        .at(4, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 4_000 }));
      softVoice(call, 4, 4.8);
      expectAnswered(finalAt(call, 4.8 + after, 3, 4.8, 'Yes please near the window.'), 'Yes please near the window.');
    }
  });

  it('is whole and answered once, whenever its finals come', () => {
    // No final comes before the media worker has reported the sound, 0.2 s after its start.
    const finals = fc.array(
      fc.record({ words: fc.integer({ min: 1, max: 3 }), after: fc.integer({ min: 20, max: 450 }) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    fc.assert(
      fc.property(finals, (parts) => {
        const call = callWith(TRAITS);
        let [from, atS, number] = [ANSWER.from, 0, 0];
        const texts = parts.map(({ words, after }) => {
          const text = Array.from({ length: words }, () => `street${++number}`).join(' ');
          const until = from + words * 0.2;
          atS = Math.max(atS, until + after / 1000);
          finalAt(call, atS, from, until, text);
          from = until;
          return text;
        });
        softVoice(call, ANSWER.from, from).runUntil(20);
        const user = call.dialogue.filter((entry) => entry.startsWith('user: '));
        expect(user).toEqual(['user: I want a table.', `user: ${texts.join(' ')}`]);
      }),
    );
  });
});

describe('words that were left out because there was no voice activity', () => {
  it('stay out if the reported speech begins after them', () => {
    const call = callWith(TRAITS)
      .at(3.2, ({ media }) => media.emit({ type: 'background_speech_started', audioMs: 3_000 }))
      .at(4.4, ({ media }) => media.emit({ type: 'background_speech_stopped', audioMs: 4_200 }));
    finalAt(call, 4.25, 3, 4.2, 'It rains everywhere.')
      .at(4.4, ({ media }) => media.emit({ type: 'speech_started', audioMs: 4_210 }))
      .at(4.9, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 4_700 }));
    expectAnswered(finalAt(call, 4.8, 4.21, 4.7, 'Yes please.'));
  });

  it('stay out before the first word of that speech', () => {
    const call = callWith(TRAITS)
      .at(3.2, ({ media }) => media.emit({ type: 'background_speech_started', audioMs: 3_000 }))
      .at(5.2, ({ media }) => media.emit({ type: 'background_speech_stopped', audioMs: 4_200 }))
      .at(5.2, ({ media }) => media.emit({ type: 'speech_started', audioMs: 4_200 }))
      .at(5.2, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 5_000 }));
    expectAnswered(finalAt(call, 5.1, 3, 5, 'Rain everywhere today yes please.'), 'yes please.');
  });

  it('stay out if the report comes more than 2 s after them', () => {
    const { from, until } = ANSWER;
    const call = softVoice(callWith(TRAITS), from, until, 2.1);
    expectUnanswered(finalAt(call, until + 0.1, from, until, 'Yes please.'));
  });

  it('stay out if no speech is reported', () => {
    const call = callWith(TRAITS).at(1.9, ({ media }) => media.emit({ type: 'echo_learnt', delayMs: 300 }));
    expectUnanswered(finalAt(call, 3.4, 2.95, 3.3, 'Yes please.'));
  });
});
