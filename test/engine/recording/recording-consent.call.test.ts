import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const ANNOUNCEMENT = 'This call is recorded.';
const GREETING = 'How can I help you?';
const CONSENT = { announcement: ANNOUNCEMENT, refusal_digit: '9' };
/** Behind announcement and greeting. */
const ANSWER_S = 6;
const REFUSED = [['refused', false]];

function asking(consent: object = {}, scenario: object = {}): Simulation {
  const agent = { initial_message: GREETING, recording_consent: { ...CONSENT, ...consent } };
  return new Simulation({ agent, model: [{ text: 'All right.' }, { text: 'Well.' }], ...scenario });
}

/** The answers in the journal, and whether the transcript stays. */
const answers = (call: Simulation) =>
  call.tape.flatMap(({ commands }) =>
    commands.flatMap((command) =>
      command.type === 'journal.write' && command.entry.type === 'consent'
        ? [[command.entry.consent, command.entry.keepsTranscript]]
        : [],
    ),
  );

describe('the announcement of the recording', () => {
  it('is said first and heard to its end, and the user may interrupt what follows', () => {
    const call = asking().userSpeaks(0.5, 2.5, 'Wait, stop, hello there.').hangUpAt(20).runUntil(25);
    expect(call.heardTexts[0]).toBe(ANNOUNCEMENT);
    expect(call.transcript.find(({ role }) => role === 'agent')?.content).toContain(ANNOUNCEMENT);
    expectReplay(call);
  });

  it('is said by an agent without an initial message, which then listens', () => {
    const call = new Simulation({ agent: { initial_message: '', recording_consent: CONSENT } })
      .hangUpAt(8)
      .runUntil(10);
    expect(call.heardTexts).toEqual([ANNOUNCEMENT]);
    expect(answers(call)).toEqual([['given', undefined]]);
  });

  it('answers first words that need no answer', () => {
    const call = new Simulation({
      agent: { initial_message: '', initial_message_delay: 5, recording_consent: CONSENT },
    })
      .userSpeaks(1, 2, 'Hello?')
      .hangUpAt(10)
      .runUntil(12);
    expect(call.heardTexts[0]).toBe(ANNOUNCEMENT);
  });
});

describe('the consent to the recording', () => {
  it('is given by any other answer, once', () => {
    const call = asking()
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'I want to book a table.')
      .userSpeaks(12, 13, 'No.')
      .userPresses(16, '9#')
      .hangUpAt(22)
      .runUntil(25);
    expect(answers(call)).toEqual([['given', undefined]]);
    expectReplay(call);
  });

  it('is not asked for if the call ends during the announcement', () => {
    const call = asking().hangUpAt(0.5).runUntil(3);
    expect(answers(call)).toEqual([]);
  });

  it('is refused by a «no», and the model learns it', () => {
    const call = asking()
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'No.')
      .hangUpAt(15)
      .runUntil(18);
    expect(answers(call)).toEqual(REFUSED);
    expect(JSON.stringify(call.modelRequests[0]?.messages)).toContain('refused the recording');
    expect(call.heardTexts).toContain('All right.');
    expectReplay(call);
  });

  it('is refused by the digit, also during the announcement', () => {
    const call = asking().userPresses(0.8, '9').hangUpAt(15).runUntil(18);
    expect(answers(call)).toEqual(REFUSED);
  });

  it('can be withdrawn later, with words that name the recording', () => {
    const call = asking({ keep_transcript: true })
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'I want to book a table.')
      .userSpeaks(12, 14, 'And please stop the recording.')
      .hangUpAt(20)
      .runUntil(23);
    expect(answers(call)).toEqual([
      ['given', undefined],
      ['refused', true],
    ]);
  });

  it('is not refused by words if the agent takes only the digit', () => {
    const call = asking({ spoken_refusal: false })
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'No.')
      .hangUpAt(15)
      .runUntil(18);
    expect(answers(call)).toEqual([['given', undefined]]);
  });

  it('ends the call after the next answer, if the agent says so', () => {
    const call = asking({ on_refusal: 'hang_up' })
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'No.')
      .runUntil(30);
    expect(call.heardTexts.at(-1)).toBe('All right.');
    expect(call.handle.view().endReason).toBe('agent_hangup');
    expectReplay(call);
  });
});
