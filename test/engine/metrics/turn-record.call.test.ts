import { describe, expect, it } from 'vitest';
import { FINAL_MS, MODEL_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
const LONG_ANSWER = 'There is a table at ten, and there is one at eleven, and another one at noon.';
/** Played from 0.2 s to 2.65 s. */
const INITIAL_MESSAGE = 'One two three four five six. Seven eight nine ten.';
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

/** The user's speech ends at `SPEECH_END_MS`. */
function callWithQuestion(scenario: Scenario, text = 'Is there a table?'): Simulation {
  return new Simulation(scenario).userSpeaks(0.5, SPEECH_END_MS / 1000, text);
}

function soundDuring(call: Simulation, fromS: number, toS: number): Simulation {
  return call
    .at(fromS, ({ media }) => media.emit({ type: 'speech_started', audioMs: fromS * 1000 }))
    .at(toS, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: toS * 1000 }));
}

function finishedTurns(call: Simulation) {
  call.hangUpAt(40).runUntil(45);
  expectReplay(call);
  const closed = call.journalEntries('turn').flatMap(({ record, isClosed }) => (isClosed ? [record] : []));
  expect(call.turns).toEqual(closed);
  return closed;
}

describe('the record of a turn', () => {
  it('has each stage since the end of the user’s speech, and is written at the answer and at its close', () => {
    const call = callWithQuestion({ agent: {}, model: [{ firstTokenAfter: 0.12, after: 0.47, text: 'Yes.' }] });
    const answerMs = FINAL_MS + 470 + VOICE_MS;
    expect(finishedTurns(call)).toEqual([
      {
        turn: 1,
        startUs: SPEECH_END_MS * 1000,
        user: {
          sequence: 1,
          endedBy: 'pause',
          score: 1,
          reasons: ['sentence_mark'],
          endedMs: FINAL_MS,
          committedMs: answerMs,
          reopened: 0,
          amended: 0,
          corrected: false,
        },
        utterance: 1,
        askedMs: [FINAL_MS],
        firstTokenMs: FINAL_MS + 120,
        voiceRequestedMs: FINAL_MS + 470,
        firstAudioMs: answerMs,
        heardMs: answerMs,
        answerHeardMs: answerMs,
        fillersMs: [],
        tools: [],
        interrupted: false,
        falseInterruptions: 0,
        ducked: 0,
        echoWords: 0,
      },
    ]);
    expect(call.journalEntries('turn').map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  it('of speech that answers no user turn counts from its begin', () => {
    const [turn] = finishedTurns(new Simulation({ agent: { initial_message: 'Hello.' } }));
    expect(turn).toMatchObject({ turn: 1, startUs: 0, user: null, utterance: 1, askedMs: [], heardMs: VOICE_MS });
  });

  it('counts that the user went on after their end, and keeps every request', () => {
    const call = callWithQuestion({ agent: {}, model: [{ after: 3, text: 'Never heard.' }, { text: 'Yes.' }] })
      .userSpeaks(2.5, 3.5, 'For four people.')
      .runUntil(10);
    expect(finishedTurns(call)).toMatchObject([
      {
        startUs: 3_500_000,
        user: { reopened: 1, endedMs: FINAL_MS, committedMs: RESPONSE_MS },
        askedMs: [SPEECH_END_MS + FINAL_MS - 3_500, FINAL_MS],
        firstTokenMs: FINAL_MS + MODEL_MS,
        heardMs: RESPONSE_MS,
      },
    ]);
  });

  it('shows a request ahead of the end, which is no reopened turn when the user goes on', () => {
    const call = callWithQuestion({ agent: {}, model: [{ after: 3, text: 'Never heard.' }] }, 'I want a table and')
      .userSpeaks(2.4, 3.4, 'Two chairs.')
      .runUntil(10);
    const [turn] = finishedTurns(call);
    expect(turn?.user).toMatchObject({ reopened: 0, reasons: ['sentence_mark'] });
  });

  it('counts late words that amend the turn, and the correction of a wrong answer', () => {
    const callWithFinal = (final: string) =>
      finishedTurns(
        soundDuring(
          new Simulation({ agent: {}, model: [{ text: `${LONG_ANSWER} ${LONG_ANSWER}` }, { text: 'Ah.' }] }),
          0.5,
          1.5,
        )
          .interimAt(1.5, 0.5, 'I want a table')
          .at(3.4, (call) => call.emitFinal(0.5, 1.5, final)),
      );
    expect(callWithFinal('I want a table.')).toMatchObject([{ user: { amended: 0, corrected: false } }]);
    expect(callWithFinal('I want a table, please.')).toMatchObject([{ user: { amended: 1, corrected: false } }]);
    const corrected = callWithFinal('I want no table.');
    expect(corrected).toMatchObject([{ user: { amended: 1, corrected: true } }]);
    expect(corrected[0]?.askedMs).toHaveLength(2);
  });

  it('counts the words that were dropped as an echo', () => {
    const call = soundDuring(new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }), 0.6, 1.2)
      .at(1.4, (call) => call.emitFinal(0.6, 1.2, 'Two three four.'))
      .runUntil(10);
    expect(finishedTurns(call)).toMatchObject([{ user: null, echoWords: 3, interrupted: false }]);
  });

  it('counts a cough that only lowers the voice', () => {
    const call = callWithQuestion({ agent: {}, model: [{ text: LONG_ANSWER }] });
    soundDuring(call, 2.5, 2.8);
    expect(finishedTurns(call)).toMatchObject([{ ducked: 1, falseInterruptions: 0, interrupted: false }]);
    expect(call.commands.map(({ type }) => type)).not.toContain('playout.pause');
  });

  it('counts a sound that paused the agent, and an interruption', () => {
    const call = callWithQuestion({ agent: {}, model: [{ text: LONG_ANSWER }, { text: 'Yes.' }] });
    soundDuring(call, 2.5, 3.3);
    call.userSpeaks(4.5, 5.5, 'Stop, I need it today.').interimAt(4.9, 4.5, 'Stop, I');
    expect(finishedTurns(call)).toMatchObject([
      { falseInterruptions: 1, interrupted: true, heardMs: RESPONSE_MS },
      { falseInterruptions: 0, interrupted: false, askedMs: [FINAL_MS] },
    ]);
    expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ interruptions: 1, falseInterruptions: 1 });
  });

  it('has the tools and the fillers that explain a silence', () => {
    const call = callWithQuestion({
      agent: { states: [{ name: 'start', tools: [LOOKUP] }] },
      model: [{ after: 0.3, toolCalls: [{ name: 'lookup', id: 'call_1' }] }, { text: 'Ten.' }],
      tools: { lookup: { after: 5, result: {} } },
    });
    const ranMs = FINAL_MS + 300;
    const [turn] = finishedTurns(call);
    expect(turn).toMatchObject({
      user: { committedMs: ranMs },
      askedMs: [FINAL_MS, ranMs + 5_000],
      firstTokenMs: ranMs,
      tools: [{ toolCallId: 'call_1', name: 'lookup', startedMs: ranMs, endedMs: ranMs + 5_000 }],
      answerHeardMs: ranMs + 5_000 + MODEL_MS + VOICE_MS,
    });
    expect(turn?.fillersMs).toEqual([turn?.heardMs]);
    expect(turn?.heardMs).toBeLessThan(ranMs + 5_000);
  });

  it.each<{ endedBy: string; scenario: Scenario; act: (call: Simulation) => void; user: object }>([
    {
      endedBy: 'provider',
      scenario: { agent: {}, parameters: { transcriberTraits: { detectsTurns: true, finalP99Ms: 500 } } },
      act: (call) =>
        call.at(1.8, () =>
          call.emitTranscriberEvent({
            type: 'turn',
            phase: 'ended',
            text: 'Is there a table?',
            words: [],
            startMs: 500,
            endMs: SPEECH_END_MS,
          }),
        ),
      user: { score: null, reasons: [], endedMs: 300 },
    },
    {
      endedBy: 'acoustic_model',
      scenario: {
        agent: { turn_detection: 'model' },
        endOfTurnModel: { after: 0.05, probability: 0 },
      },
      act: (call) => call.at(1.6, () => call.emitFinal(0.5, 1.5, 'I want a table')),
      user: { reasons: ['acoustic_end', 'no_mark'], endedMs: 1_500 },
    },
    {
      endedBy: 'monologue_limit',
      scenario: { agent: { max_monologue: 10 } },
      act: (call) => call.at(5, () => call.interimAt(9, 0.5, 'I want a table and')),
      user: {},
    },
  ])('names $endedBy as what ended the turn', ({ endedBy, scenario, act, user }) => {
    const call = new Simulation(scenario);
    call.at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }));
    if (endedBy !== 'monologue_limit')
      call.at(1.5, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }));
    act(call);
    expect(finishedTurns(call)[0]?.user).toMatchObject({ endedBy, ...user });
  });

  it('names DTMF digits and the end of the call as what ended the turn', () => {
    const digits = new Simulation({ agent: {} }).userPresses(1, '12#');
    expect(finishedTurns(digits)[0]?.user).toMatchObject({ endedBy: 'dtmf', sequence: null, score: null });
    const cut = callWithQuestion({ agent: {} }, 'Is there a table and').hangUpAt(1.75);
    expect(finishedTurns(cut)).toMatchObject([{ user: { endedBy: 'call_end' }, heardMs: null }]);
  });
});
