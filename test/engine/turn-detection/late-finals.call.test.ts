import { describe, expect, it } from 'vitest';
import { FINAL_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { ModelResponse, Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_START_MS = 500;
const SPEECH_END_MS = 1_500;
/** The wait for words that no event has reported, from the end of the speech. */
const MISSING_WORDS_MS_MAX = 1_200;
const ANSWER = 'Gladly. At what time would you like to come?';

interface LateFinal {
  /** The interim at `SPEECH_END_MS`, and the end of its last word. */
  readonly interim?: string;
  readonly interimEndMs?: number;
  readonly final: string;
  /** From the end of the speech to the final. */
  readonly lateMs: number;
  readonly model?: readonly ModelResponse[];
  readonly agent?: Scenario['agent'];
}

function callWithLateFinal({
  interim = 'I want a table',
  interimEndMs = SPEECH_END_MS - 100,
  final,
  lateMs,
  model = [{ text: ANSWER }, { text: 'I see.' }],
  agent = {},
}: LateFinal): Simulation {
  return new Simulation({ agent, model })
    .at(SPEECH_START_MS / 1000, (call) => call.media.emit({ type: 'speech_started', audioMs: SPEECH_START_MS }))
    .at(SPEECH_END_MS / 1000, (call) =>
      call.emitTranscriberEvent({ type: 'interim', text: interim, startMs: SPEECH_START_MS, endMs: interimEndMs }),
    )
    .at(SPEECH_END_MS / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }))
    .at((SPEECH_END_MS + lateMs) / 1000, (call) => call.emitFinal(SPEECH_START_MS / 1000, SPEECH_END_MS / 1000, final));
}

const LATENESS = [{ lateMs: 400 }, { lateMs: 800 }, { lateMs: 1_200 }, { lateMs: 2_000 }];
const userEntries = (call: Simulation) => call.transcript.filter(({ role }) => role === 'user');
const lastUserTexts = (call: Simulation) => call.modelRequests.map(({ messages }) => messages.at(-1)?.content);

describe('a final that is late', () => {
  it.each(LATENESS)('by $lateMs ms changes the one entry of its turn, and the answer goes on', ({ lateMs }) => {
    const call = callWithLateFinal({ final: 'I want a table, please.', lateMs }).runUntil(20);
    expect(userEntries(call).map(({ content }) => content)).toEqual(['I want a table, please.']);
    expect(call.heardTexts).toEqual(['Gladly.', 'At what time would you like to come?']);
    expect(call.commandTimesMs('playout.clear')).toEqual([]);
    expect(call.commandTimesMs('playout.pause')).toEqual([]);
    expect(call.transcript.filter(({ role }) => role === 'agent')).toHaveLength(1);
    expectReplay(call);
  });

  it.each(LATENESS)('by $lateMs ms is waited for while its words are missing, up to 1.2 s', ({ lateMs }) => {
    const call = callWithLateFinal({ interim: 'One', interimEndMs: 900, final: 'One table please.', lateMs });
    call.runUntil(20);
    const [requestedMs] = call.commandTimesMs('model.request');
    expect(requestedMs).toBe(SPEECH_END_MS + Math.min(lateMs, MISSING_WORDS_MS_MAX));
    expect(userEntries(call).map(({ content }) => content)).toEqual(['One table please.']);
    expect(call.commandTimesMs('playout.clear')).toEqual([]);
    expect(call.heardTexts).toEqual(['Gladly.', 'At what time would you like to come?']);
  });

  it('counts as missing only if the voice activity ended well after the last known word', () => {
    const known = callWithLateFinal({ interimEndMs: SPEECH_END_MS - 400, final: 'I want a table.', lateMs: 900 });
    const missing = callWithLateFinal({ interimEndMs: SPEECH_END_MS - 401, final: 'I want a table.', lateMs: 900 });
    expect(known.runUntil(20).commandTimesMs('model.request')).toEqual([SPEECH_END_MS + 500]);
    expect(missing.runUntil(20).commandTimesMs('model.request')).toEqual([SPEECH_END_MS + 900]);
  });

  it('is the next turn if it was spoken after the first one', () => {
    const call = new Simulation({ agent: {}, model: [{ text: ANSWER }, { text: 'Of course.' }] })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .userSpeaks(6, 7, 'Is it quiet?', { finalAfter: 2 })
      .runUntil(20);
    expect(userEntries(call).map(({ content }) => content)).toEqual(['I want a table.', 'Is it quiet?']);
    expect(call.modelRequests).toHaveLength(2);
  });
});

describe('a late final with other words', () => {
  const DURING_ANSWER_MS = 1_600;

  it.each(['I want a table for five.', 'I want no table.', 'I want a table on Monday.', 'I want a table, Smith.'])(
    'lets the agent finish its sentence, then answers what was said: «%s»',
    (final) => {
      const call = callWithLateFinal({ final, lateMs: DURING_ANSWER_MS }).runUntil(20);
      expect(call.heardTexts).toEqual(['Gladly.', 'At what time would you like to come?', 'I see.']);
      expect(userEntries(call).map(({ content }) => content)).toEqual([final]);
      expect(call.modelRequests[1]?.messages.slice(1)).toEqual([
        { role: 'user', content: final },
        { role: 'assistant', content: ANSWER },
        { role: 'user', content: expect.stringContaining(final) },
      ]);
      expectReplay(call);
    },
  );

  it('skips the sentences that were not heard yet', () => {
    const call = callWithLateFinal({ final: 'I want no table.', lateMs: 900 }).runUntil(20);
    expect(call.heardTexts).toEqual(['Gladly.', 'I see.']);
    expect(call.dialogue).toEqual(['user: I want no table.', 'agent: Gladly.', 'agent: I see.']);
  });

  it('is answered after the answer that it proves wrong', () => {
    const call = callWithLateFinal({ final: 'I want no table.', lateMs: 6_000 }).runUntil(20);
    expect(call.heardTexts).toEqual(['Gladly.', 'At what time would you like to come?', 'I see.']);
  });

  it('before the answer is heard is answered at once', () => {
    const model = [{ after: 2, text: ANSWER }, { text: 'I see.' }];
    const call = callWithLateFinal({ final: 'I want no table.', lateMs: 900, model }).runUntil(20);
    expect(lastUserTexts(call)).toEqual(['I want a table', 'I want no table.']);
    expect(call.dialogue).toEqual(['user: I want no table.', 'agent: I see.']);
    expect(call.heardTexts).toEqual(['I see.']);
  });

  it('reads the variables of its turn again if only the spelling of a name differs', () => {
    const call = callWithLateFinal({
      interim: 'I am Jonathan',
      final: 'I am Jonathon.',
      lateMs: 700,
      model: [{ after: 0.5, text: ANSWER }],
      agent: { states: [{ name: 'start', variables: [{ name: 'caller' }] }] },
    }).runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.extractionRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      expect.stringContaining('Caller: I am Jonathan'),
      expect.stringContaining('Caller: I am Jonathon.'),
    ]);
  });

  it('reads the variables of its turn again', () => {
    const states = [{ name: 'start', variables: [{ name: 'size' }] }];
    const call = callWithLateFinal({
      final: 'I want a table for five.',
      lateMs: DURING_ANSWER_MS,
      agent: { states },
    }).runUntil(20);
    expect(call.extractionRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      expect.stringContaining('Caller: I want a table'),
      expect.stringContaining('Caller: I want a table for five.'),
    ]);
  });
});

describe('an interruption whose final is late', () => {
  it('takes the length of the speech, not that of the wait for its words', () => {
    const interrupted = (endMs: number) =>
      new Simulation({ agent: { initial_message: 'One two three four five six seven eight nine ten eleven twelve.' } })
        .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
        .at(endMs / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: endMs }))
        .at(2.5, (call) => call.emitFinal(0.5, endMs / 1000, 'But please'))
        .runUntil(2.6)
        .commandTimesMs('playout.clear');
    expect(interrupted(700)).toEqual([]);
    expect(interrupted(1_000)).toEqual([2_500]);
  });
});

it('a turn is answered as fast as before if its final comes in time', () => {
  const call = new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, 'Yes.').runUntil(5);
  expect(call.commandTimesMs('model.request')).toEqual([SPEECH_END_MS + FINAL_MS]);
});

describe('a final of the turn before the last one', () => {
  it('amends that turn, and the answer that does not fit it is corrected', () => {
    const call = new Simulation({
      agent: {},
      model: [{ text: 'Yes.' }, { text: 'Fine then.' }, { text: 'No table, then.' }],
    })
      .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
      .interimAt(1.4, 0.5, 'I want a table')
      .at(1.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
      .at(2.6, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_600 }))
      .interimAt(3.1, 2.6, 'By the window')
      .at(3.2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 3_200 }))
      .at(4.3, (call) => call.emitFinal(0.5, 1.5, 'I want no table at seven'))
      .at(5.2, (call) => call.emitFinal(2.6, 3.2, 'By the window.'))
      .runUntil(20);
    expect(userEntries(call).map(({ content }) => content)).toEqual(['I want no table at seven', 'By the window.']);
    const messages = call.modelRequests.at(-1)?.messages.map(({ content }) => content) ?? [];
    expect(messages).toContain('I want no table at seven');
    expect(call.heardTexts.at(-1)).toBe('No table, then.');
    expectReplay(call);
  });
});

describe('a final that comes twice', () => {
  it.each([
    ['before the answer', 1.75],
    ['during the answer', 2.4],
    ['long after it', 9],
  ])('%s, is one turn with one answer', (_, againAt) => {
    const call = new Simulation({ agent: {}, model: [{ text: ANSWER }, { text: 'I see.' }] })
      .userSpeaks(0.5, 1.5, 'I want to come tomorrow')
      .at(againAt, (call) => call.emitFinal(0.5, 1.5, 'I want to come tomorrow'))
      .runUntil(20);
    expect(userEntries(call).map(({ content }) => content)).toEqual(['I want to come tomorrow']);
    expect(lastUserTexts(call)).toEqual(['I want to come tomorrow']);
    expect(call.commandTimesMs('playout.clear')).toEqual([]);
    expectReplay(call);
  });
});

describe('a final for a part of its interim', () => {
  const spoken = (text: string, startMs: number) => ({
    text,
    words: text
      .split(' ')
      .map((word, at) => ({ text: word, startMs: startMs + at * 200, endMs: startMs + at * 200 + 200 })),
    startMs,
    endMs: startMs + text.split(' ').length * 200,
  });

  it('leaves the rest of the words to the turn, which waits for their final', () => {
    const call = new Simulation({ agent: {} });
    call.at(1, () => call.media.emit({ type: 'speech_started', audioMs: 1_000 }));
    call.at(2.5, () => call.emitTranscriberEvent({ type: 'interim', ...spoken('I want a table today.', 1_000) }));
    call.at(2.1, () => call.media.emit({ type: 'speech_stopped', audioMs: 2_000 }));
    call.at(2.52, () => call.emitTranscriberEvent({ type: 'final', ...spoken('I want a table.', 1_000) }));
    call.at(2.75, () => call.emitTranscriberEvent({ type: 'final', ...spoken('Tonight.', 1_800) }));
    call.runUntil(8);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe('I want a table. Tonight.');
    expect(lastUserTexts(call)).not.toContain('I want a table.');
    expect(call.dialogue[0]).toBe('user: I want a table. Tonight.');
  });
});
