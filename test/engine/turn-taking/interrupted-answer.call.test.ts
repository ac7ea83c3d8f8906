import { describe, expect, it } from 'vitest';
import { SPOKEN_CHARACTER_MS } from '../../../engine/transcript/played-text.ts';
import { CHARACTER_MS, RESPONSE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
/** The first packet of the answer leaves. */
const ANSWER_START_MS = SPEECH_END_MS + RESPONSE_MS;
const FIRST_WORD = 'Unfortunately';
const FIRST_WORD_END_MS = ANSWER_START_MS + FIRST_WORD.length * CHARACTER_MS;
const MODEL = [{ text: `${FIRST_WORD} we have no table.` }, { text: 'Gladly.' }];

const callWithAnswer = (scenario: Omit<Scenario, 'agent'> = {}) =>
  new Simulation({ agent: { interruptions_sensitivity: 'high' }, model: MODEL, ...scenario }).userSpeaks(
    0.5,
    SPEECH_END_MS / 1000,
    'I want a table.',
  );

/** The user goes on at this time; the playback pauses at 200 ms of speech. */
function interruptedAt(atMs: number): Simulation {
  const at = atMs / 1000;
  return callWithAnswer()
    .at(at + 0.2, (call) => call.media.emit({ type: 'speech_lasted', audioMs: atMs + 200, lastedMs: 200 }))
    .interimAt(at + 0.21, at, 'For four')
    .userSpeaks(at, at + 1, 'For four people.')
    .runUntil(20);
}

/** Every text that was ever written for the agent. */
const agentTexts = (call: Simulation) =>
  call.journalEntries('transcript').flatMap(({ entry }) => (entry.role === 'agent' ? [entry.content] : []));

describe('a user who goes on after the first packet of the answer', () => {
  it('says one turn if no word of the answer was heard', () => {
    const call = interruptedAt(ANSWER_START_MS + 100);
    expect(call.dialogue).toEqual(['user: I want a table. For four people.', 'agent: Gladly.']);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'I want a table.',
      'I want a table. For four people.',
    ]);
    expect(call.modelRequests[1]?.messages.filter(({ role }) => role !== 'system')).toHaveLength(1);
    expect(call.transcript[0]).toMatchObject({ startUs: 500_000, endUs: (ANSWER_START_MS + 1_100) * 1000 });
    expect(agentTexts(call)).toEqual(['Gladly.']);
    expect(call.commands).toContainEqual({ type: 'voice.cancel', from: 1 });
    expect(call.heardTexts.slice(1)).toEqual(['Gladly.']);
    const records = call
      .hangUpAt(21)
      .runUntil(22)
      .journalEntries('turn')
      .filter(({ isClosed }) => isClosed);
    expect(records.map(({ record }) => record)).toMatchObject([{ turn: 1, user: { reopened: 1 } }]);
    expectReplay(call);
  });

  it('says another turn once a word was heard', () => {
    const call = interruptedAt(FIRST_WORD_END_MS);
    expect(call.dialogue).toEqual([
      'user: I want a table.',
      `agent: ${FIRST_WORD} we`,
      'user: For four people.',
      'agent: Gladly.',
    ]);
  });

  it('says another turn if the answer has called a tool', () => {
    const tools = [{ type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' }];
    const call = new Simulation({
      agent: { interruptions_sensitivity: 'high', states: [{ name: 'start', tools }] },
      model: [{ text: `${FIRST_WORD} not.`, toolCalls: [{ name: 'lookup' }] }, { text: 'Gladly.' }],
    })
      .userSpeaks(0.5, SPEECH_END_MS / 1000, 'I want a table.')
      .interimAt(2.3, 2.05, 'For four')
      .userSpeaks(2.05, 3, 'For four people.')
      .runUntil(20);
    expect(call.dialogue.slice(0, 2)).toEqual(['user: I want a table.', 'user: For four people.']);
  });
});

describe('an answer of which no word was heard', () => {
  const shortlyAfterStart = (ANSWER_START_MS + 40) / 1000;

  it.each([
    { end: 'a hang-up', act: (call: Simulation) => call.emitControlEvent({ type: 'ended', cause: 'remote_bye' }) },
    {
      end: 'a say request',
      act: (call: Simulation) => call.handle.post({ type: 'call.say', text: 'Wait.', interrupt: true }),
    },
    {
      end: 'pressed keys',
      act: (call: Simulation) => {
        for (const digit of ['1', '#']) call.media.emit({ type: 'dtmf', digit, durationMs: 100 });
      },
    },
  ])('has no entry after $end', ({ act }) => {
    const call = callWithAnswer().at(shortlyAfterStart, act).runUntil(30);
    expect(agentTexts(call)).not.toContain('');
    expect(call.dialogue.filter((text) => text.includes(FIRST_WORD))).toEqual([]);
    const assistant = call.modelRequests.at(-1)?.messages.filter(({ role }) => role === 'assistant');
    expect(JSON.stringify(assistant)).not.toContain(FIRST_WORD);
    expectReplay(call);
  });

  it('has no entry if its voice fails at once', () => {
    const failsAt = [{ textIndex: 0, afterMs: 40 }];
    const call = callWithAnswer({ voice: { failsAt } }).runUntil(30);
    expect(agentTexts(call)).not.toContain('');
  });

  it('has its entry once the first word was heard', () => {
    const before = callWithAnswer().runUntil((FIRST_WORD_END_MS - 1) / 1000);
    expect(agentTexts(before)).toEqual([]);
    const after = callWithAnswer().runUntil((ANSWER_START_MS + FIRST_WORD.length * SPOKEN_CHARACTER_MS) / 1000);
    expect(agentTexts(after)).toEqual([`${FIRST_WORD} we have no table.`]);
    expect(after.transcript.at(-1)).toMatchObject({ role: 'agent', startUs: ANSWER_START_MS * 1000 });
  });

  it('has no entry while its playback is paused or halted before that', () => {
    const call = callWithAnswer()
      .at(shortlyAfterStart, (call) => call.emitControlEvent({ type: 'on_hold' }))
      .at(9, (call) => expect(agentTexts(call)).toEqual([]))
      .at(9, (call) => call.emitControlEvent({ type: 'off_hold' }))
      .runUntil(20);
    expect(call.dialogue).toEqual(['user: I want a table.', `agent: ${FIRST_WORD} we have no table.`]);
  });
});
