import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';
import { addSpeech, callWithAudio, failAt, openedStreams } from './call-with-audio.ts';

const OUTAGE = { failsWith: { retryable: true } };
const REJECTED = { failsWith: { retryable: false, code: 'unauthorized' as const } };
/** The first request and its retries. */
const FAILED_TURN = Array.from({ length: 5 }, () => OUTAGE);
const MESSAGE = 'We have a problem here. Please say that again.';
const AGENT = { on_provider_failure: { message: MESSAGE } };
const RETRY_BUDGET_MS = 8_000;
const TURNS_S = [0.5, 30, 60] as const;

function callWith(model: NonNullable<Scenario['model']>, scenario: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({ agent: AGENT, model, ...scenario });
  for (const at of TURNS_S) call.userSpeaks(at, at + 0.5, 'A table, please.');
  return call.runUntil(100);
}
const messagesHeard = (call: Simulation) => call.heardTexts.filter((text) => text === 'Please say that again.').length;

describe('a model that fails after the first sentence of its answer', () => {
  it('is asked for the rest, although the end of the turn was not certain yet', () => {
    const call = new Simulation({
      agent: AGENT,
      model: [{ text: 'Let me check that. One', after: 0.05, ...OUTAGE }, { text: 'It is on its way.' }],
    })
      .userSpeaks(0.5, 1.5, 'Where is my parcel?', { finalAfter: 0.05 })
      .runUntil(20);
    expect(call.heardTexts).toEqual(['Let me check that.', 'It is on its way.']);
    expect(call.modelRequests).toHaveLength(2);
  });
});

describe('a turn that no model answers', () => {
  it('is answered by the agent’s message, and the next one by the model', () => {
    const call = callWith([...FAILED_TURN, { text: 'For how many?' }]);
    expect(call.heardTexts.slice(0, 4)).toEqual([
      'One moment, please.',
      'We have a problem here.',
      'Please say that again.',
      'For how many?',
    ]);
    expect(call.endReason).toBeNull();
    expect(call.noticesOf('turn_failed')).toEqual([
      { type: 'turn_failed', reason: 'llm_error', detail: 'test unavailable: no' },
    ]);
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
    const contents = call.modelRequests.at(5)?.messages.map(({ content }) => content);
    expect(contents?.slice(1)).toEqual(['A table, please.', `One moment, please. ${MESSAGE}`, 'A table, please.']);
  });

  it('is known within the retry budget', () => {
    const call = callWith(FAILED_TURN);
    const spokenMs = call.tape.flatMap(({ atUs, commands }) =>
      commands.some((command) => command.type === 'voice.speak' && MESSAGE.startsWith(command.text))
        ? [atUs / 1000]
        : [],
    );
    const firstMs = call.commandTimesMs('model.request')[0] ?? 0;
    expect((spokenMs[0] ?? 0) - firstMs).toBeLessThan(RETRY_BUDGET_MS + 1_000);
  });

  it('leads to the action at the second time in a row, with the provider’s reason', () => {
    const call = callWith([REJECTED, REJECTED]);
    expect(messagesHeard(call)).toBe(2);
    expect(call.journalEntries('ended')).toMatchObject([{ reason: 'llm_error', detail: 'test unauthorized: no' }]);
  });

  it('counts alone if a turn before it was answered', () => {
    const call = callWith([REJECTED, { text: 'For how many?' }, REJECTED]);
    expect(messagesHeard(call)).toBe(2);
    expect(call.endReason).toBeNull();
  });

  it('counts although a tool was called in it', () => {
    const states = [
      { name: 'start', tools: [{ type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' }] },
    ];
    const lookup = { toolCalls: [{ name: 'lookup' }] };
    const call = callWith([lookup, REJECTED, lookup, REJECTED], { agent: { ...AGENT, states } });
    expect(call.endReason).toBe('llm_error');
  });

  it.each([
    ['en', 'Could you say that again, please?'],
    ['de', 'Könnten Sie das bitte noch einmal sagen?'],
  ])('is followed by a question in the language of the agent: %s', (language, question) => {
    expect(callWith([REJECTED], { agent: { language } }).heardTexts[1]).toBe(question);
  });

  it('ends the call at once if a voicemail listens, which cannot repeat itself', () => {
    const call = new Simulation({ agent: {}, parameters: { direction: 'outbound' }, model: [REJECTED] })
      .at(0, (simulation) => simulation.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 4, 'Please leave a message after the tone.');
    call.at(5, () => call.emitTone(4.5, 5)).runUntil(40);
    expect(call.endReason).toBe('llm_error');
  });
});

describe('a voice without a fallback', () => {
  const greet = (failsUntil: number) =>
    new Simulation({ agent: { ...AGENT, initial_message: 'Good evening.' }, voice: { failsUntil } });

  it('is tried again after delays, and its text is heard once', () => {
    const call = greet(3).runUntil(30);
    expect(call.heardTexts).toEqual(['Good evening.']);
    expect(call.heard[0]?.fromMs).toBeGreaterThan(3_000);
    expect(call.noticesOf('turn_failed')).toEqual([]);
    expect(call.endReason).toBeNull();
  });

  it('fails one turn if it recovers after the retry budget: the history has only what was heard', () => {
    const call = greet(7.75).userSpeaks(20, 20.5, 'Hello?').runUntil(30);
    expect(call.heardTexts.slice(0, 2)).toEqual(['We have a problem here.', 'Please say that again.']);
    expect(call.noticesOf('turn_failed')).toHaveLength(1);
    expect(JSON.stringify(call.modelRequests[0]?.messages)).not.toContain('Good evening.');
    expect(call.endReason).toBeNull();
  });

  it('speaks new sentences after the ones that wait for it', () => {
    const call = new Simulation({
      agent: AGENT,
      model: [{ text: 'One is free. Two is taken. Three is free.', firstTokenAfter: 0.05, after: 0.1 }],
      voice: { failsUntil: 3 },
    })
      .userSpeaks(0.5, 1, 'Which one?')
      .runUntil(20);
    expect(call.heardTexts).toEqual(['One is free.', 'Two is taken.', 'Three is free.']);
  });

  it('drops the waiting text if the user speaks, except a greeting, which answers them', () => {
    const greeted = greet(4).userSpeaks(0.8, 1.6, 'Hello, is anybody there?').runUntil(30);
    expect(greeted.heardTexts).toEqual(['Good evening.']);
    const answered = new Simulation({ agent: AGENT, model: [{ text: 'One is free.' }], voice: { failsUntil: 4 } })
      .userSpeaks(0.5, 1, 'Which one?')
      .userSpeaks(2, 2.8, 'Or the other one?')
      .runUntil(30);
    expect(answered.heardTexts).toEqual(['Yes.']);
  });
});

describe('a transcriber without a fallback', () => {
  const REFUSED = { failsWith: { retryable: true } };
  const words = { type: 'final', text: 'A table.', words: [], startMs: 1_000, endMs: 2_000 } as const;

  it('is opened again within the retry budget, from the words that are missing', () => {
    const streams = [{ neverReady: true }, REFUSED, REFUSED, REFUSED];
    const call = addSpeech(callWithAudio({ agent: {}, transcriberStreams: streams }, 20), 1, 2);
    failAt(call, 1.5);
    call.at(6, () => call.emitTranscriberEvent(words));
    call.runUntil(12);
    const opened = openedStreams(call);
    expect(opened).toHaveLength(5);
    expect(opened.at(-1)?.atMs).toBeLessThan(1_500 + RETRY_BUDGET_MS);
    expect(opened.at(-1)?.fromMs).toBe(0);
    expect(call.dialogue[0]).toBe('user: A table.');
  });

  it('fails one turn if it recovers later: the agent apologises and listens on', () => {
    const streams = [{ neverReady: true }, ...Array.from({ length: 6 }, () => REFUSED)];
    const call = addSpeech(callWithAudio({ agent: AGENT, transcriberStreams: streams }, 40), 1, 2);
    failAt(call, 1.5).userSpeaks(25, 26, 'Hello?').runUntil(40);
    expect(call.heardTexts.slice(0, 2)).toEqual(['We have a problem here.', 'Please say that again.']);
    expect(call.noticesOf('turn_failed')).toHaveLength(1);
    expect(call.heardTexts.at(-1)).toBe('Yes.');
    expect(call.endReason).toBeNull();
  });

  it('does not mention an outage in which the user was silent', () => {
    const streams = [{ neverReady: true }, ...Array.from({ length: 6 }, () => REFUSED)];
    const call = callWithAudio({ agent: AGENT, transcriberStreams: streams }, 40);
    failAt(call, 1.5).runUntil(40);
    expect(call.heardTexts).toEqual([]);
    expect(call.endReason).toBeNull();
  });
});
