import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { VoiceScript } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const ANNOUNCEMENT = 'This call is recorded.';
const GREETING = 'Welcome to the practice.';
const QUESTION = 'Am I speaking with Ms Smith?';
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

describe('an announcement whose voice fails', () => {
  const announcement = 'This call is recorded. Say no if you do not want that.';
  const failing = (voice: VoiceScript) =>
    asking(
      {},
      {
        agent: {
          initial_message: GREETING,
          recording_consent: { announcement },
          fallbacks: { voice: [{ provider: 'test', name: 'second' }] },
        },
        voice: { failsAt: [{ textIndex: 1, afterMs: 0, retryable: false }] },
        voicesByName: { second: voice },
      },
    );

  it('is heard from the next voice, and consented to', () => {
    const call = failing({}).hangUpAt(20).runUntil(23);
    expect(call.heardTexts.slice(0, 2)).toEqual(['This call is recorded.', 'Say no if you do not want that.']);
    expect(answers(call)).toEqual([['given', undefined]]);
    expectReplay(call);
  });

  it('is not heard before the next voice has said it to its end', () => {
    const call = failing({}).hangUpAt(2.2).runUntil(5);
    expect(call.heardTexts[0]).toBe('This call is recorded.');
    expect(answers(call)).toEqual([]);
  });

  it('is not consented to if no voice says its end', () => {
    const call = failing({ failsAt: [{ textIndex: 0, afterMs: 0, retryable: false }] }).runUntil(40);
    expect(call.heardTexts).toContain('This call is recorded.');
    expect(call.heardTexts).not.toContain('Say no if you do not want that.');
    expect(answers(call)).toEqual([]);
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

  it('is refused by a mere «no», and the model learns it', () => {
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

  it('is refused by the last words before the user hangs up, with which the model was already asked', () => {
    const call = asking()
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'No.', { finalAfter: 0.05 })
      .hangUpAt(ANSWER_S + 1.1);
    expect(answers(call.runUntil(10))).toEqual(REFUSED);
    expect(call.modelRequests).toHaveLength(1);
    expectReplay(call);
  });

  it('is refused by words without a final as the user hangs up', () => {
    const call = asking()
      .userSpeaks(ANSWER_S, ANSWER_S + 2, 'No, don’t record me.')
      .interimAt(ANSWER_S + 1, ANSWER_S, 'No, don’t record me')
      .hangUpAt(ANSWER_S + 1.1)
      .runUntil(10);
    expect(answers(call)).toEqual(REFUSED);
    expect(call.modelRequests).toEqual([]);
    expectReplay(call);
  });

  it('is withdrawn by words during a transfer that fails', () => {
    const transfer = { type: 'transfer_call', name: 'forward', destination: '+15550100' } as const;
    const states = [{ name: 'start', tools: [transfer] }];
    const call = asking(
      {},
      {
        agent: { initial_message: GREETING, recording_consent: CONSENT, states },
        model: [{ toolCalls: [{ name: 'forward', arguments: {} }] }, { text: 'All right.' }],
      },
    )
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'The manager, please.')
      .userSpeaks(12, 13, 'Do not record me.')
      .at(16, (running) => running.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .hangUpAt(25)
      .runUntil(28);
    expect(answers(call)).toEqual([
      ['given', undefined],
      ['refused', false],
    ]);
  });

  it('is refused by a typed text', () => {
    const call = asking()
      .at(ANSWER_S, ({ media }) => media.emit({ type: 'typed_text', text: 'No, please don’t record this' }))
      .hangUpAt(15)
      .runUntil(18);
    expect(answers(call)).toEqual(REFUSED);
    expect(JSON.stringify(call.modelRequests[0]?.messages)).toContain('refused the recording');
    expectReplay(call);
  });

  it('is given by any other typed text', () => {
    const call = asking()
      .at(ANSWER_S, ({ media }) => media.emit({ type: 'typed_text', text: 'A table for two' }))
      .hangUpAt(15)
      .runUntil(18);
    expect(answers(call)).toEqual([['given', undefined]]);
  });

  it.each(['9', '9#'])('ends the call after the answer to the digits «%s», not after the announcement', (digits) => {
    const call = new Simulation({
      agent: { initial_message: '', recording_consent: { ...CONSENT, on_refusal: 'hang_up' } },
      model: [{ text: 'All right.' }],
    })
      .userPresses(0.5, digits)
      .runUntil(30);
    expect(answers(call)).toEqual(REFUSED);
    expect(call.heardTexts).toEqual([ANNOUNCEMENT, 'All right.']);
    expect(call.endReason).toBe('agent_hangup');
    expectReplay(call);
  });

  it('ends the call after the confirmation also if the digit is the terminator of entries', () => {
    const call = new Simulation({
      agent: { initial_message: '', recording_consent: { ...CONSENT, refusal_digit: '#', on_refusal: 'hang_up' } },
      model: [{ text: 'All right.' }],
    })
      .userPresses(0.5, '#')
      .runUntil(30);
    expect(call.heardTexts).toEqual([ANNOUNCEMENT, 'All right.']);
    expect(call.endReason).toBe('agent_hangup');
  });

  it('is neither given nor refused by a mere «no» to the question of the initial message', () => {
    const call = asking({}, { agent: { initial_message: QUESTION, recording_consent: CONSENT } })
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'No.')
      .userSpeaks(12, 13, 'I want no recording.')
      .hangUpAt(20)
      .runUntil(23);
    expect(answers(call)).toEqual(REFUSED);
    expect(call.journalEntries('consent')[0]?.atUs).toBeGreaterThan(13_000_000);
  });

  it('is given at the end of the call after a «no» to the question of the initial message', () => {
    const call = asking({}, { agent: { initial_message: QUESTION, recording_consent: CONSENT } })
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'No.')
      .hangUpAt(12)
      .runUntil(15);
    expect(answers(call)).toEqual([['given', undefined]]);
  });

  it('is not withdrawn by words about another recording', () => {
    const call = asking()
      .userSpeaks(ANSWER_S, ANSWER_S + 1, 'I want to book a table.')
      .userSpeaks(12, 14, 'Your system did not record my payment.')
      .hangUpAt(20)
      .runUntil(23);
    expect(answers(call)).toEqual([['given', undefined]]);
  });
});
