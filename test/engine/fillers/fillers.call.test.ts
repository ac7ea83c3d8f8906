import { describe, expect, it } from 'vitest';
import { refusals } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  timeout: 120,
  filler_sentence: 'Let me look that up for you.',
};
const BUSY = 'One moment please, I am still on it.';

function looking(after: number, given: Partial<Scenario> = {}, tool: Partial<typeof LOOKUP> = {}): Simulation {
  const { agent, ...rest } = given;
  return new Simulation({
    agent: { ...agent, states: [{ name: 'start', tools: [{ ...LOOKUP, ...tool }] }] },
    model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'It is ten.' }],
    tools: { lookup: { after, result: {} } },
    ...rest,
  }).userSpeaks(0.5, 1.5, 'What does it cost?');
}

const timed = (call: Simulation) => call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs]);

describe('the filler of a function', () => {
  it('is said at once as the function begins', () => {
    const call = looking(5).runUntil(10);
    const begun = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'tool.run'));
    expect(begun?.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
    expect(timed(call)).toEqual([
      ['Let me look that up for you.', 2_000, 3_400],
      ['It is ten.', 7_100, 7_600],
    ]);
  });

  it('that the function is faster than is heard to its end, and the answer comes right behind it', () => {
    const call = looking(0.05).runUntil(10);
    expect(timed(call)).toEqual([
      ['Let me look that up for you.', 2_000, 3_400],
      ['It is ten.', 3_400, 3_900],
    ]);
    expect(call.dialogue).toEqual([
      'user: What does it cost?',
      'agent: Let me look that up for you.',
      'agent: It is ten.',
    ]);
    expect(
      call.media.sentAudio.every(({ fromMs }, index) => fromMs >= (call.media.sentAudio[index - 1]?.toMs ?? 0)),
    ).toBe(true);
  });

  it('follows what the model said beside its call', () => {
    const call = looking(2, {
      model: [{ text: 'Gladly.', toolCalls: [{ name: 'lookup' }] }, { text: 'Ten.' }],
    }).runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Gladly.', 'Let me look that up for you.', 'Ten.']);
    expect(call.modelRequests[1]?.messages[2]).toMatchObject({ content: 'Gladly. Let me look that up for you.' });
  });

  it('of a transition that is faster than it is queued before the next state’s words', () => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            transitions: [
              {
                condition: 'c',
                destination_state_name: 'next',
                filler_sentence: 'Let me bring you to the right desk.',
              },
            ],
          },
          { name: 'next' },
        ],
      },
      model: [{ toolCalls: [{ name: 'go_to_next' }] }, { after: 0.05, text: 'Here it is.' }],
    })
      .userSpeaks(0.5, 1.5, 'The desk please.')
      .runUntil(10);
    expect(timed(call)).toEqual([
      ['Let me bring you to the right desk.', 2_000, 3_750],
      ['Here it is.', 3_750, 4_300],
    ]);
  });
});

describe('the filler of a tool that is ours', () => {
  const filler_sentence = 'One moment please.';
  it.each([
    [{ type: 'wait' as const, name: 'it', duration: 30, filler_sentence }, undefined],
    [{ type: 'send_dtmf' as const, name: 'it', filler_sentence }, { digits: '1' }],
    [{ type: 'hang_up' as const, name: 'it', filler_sentence }, undefined],
    [{ type: 'transfer_call' as const, name: 'it', destination: '+4930111111', filler_sentence }, undefined],
  ])('is said as it begins: $type', (tool, given) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'it', ...(given !== undefined && { arguments: given }) }] }],
    })
      .userSpeaks(0.5, 1.5, 'Go on.')
      .runUntil(4);
    expect(call.heard[0]).toMatchObject({ text: filler_sentence, fromMs: 2_000 });
  });
});

describe('a function that takes long', () => {
  it('is told of again after ten seconds, three times at most', () => {
    const call = looking(58).runUntil(80);
    // The function began at 1.8 s.
    expect(timed(call)).toEqual([
      ['Let me look that up for you.', 2_000, 3_400],
      [BUSY, 12_000, 13_800],
      [BUSY, 22_000, 23_800],
      [BUSY, 32_000, 33_800],
      ['It is ten.', 60_100, 60_600],
    ]);
    for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
    expect(call.modelRequests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(call.clock.pending).toBe(1);
    expectReplay(call);
  });

  it('is not told of again where it answers in time', () => {
    expect(
      looking(9.9)
        .runUntil(40)
        .heard.map(({ text }) => text),
    ).not.toContain(BUSY);
  });

  it.each([
    ['de-AT', 'Einen Moment bitte, ich bin noch dabei.'],
    ['fr', 'Un instant s’il vous plaît, je m’en occupe encore.'],
    ['ES', 'Un momento, por favor, sigo en ello.'],
    ['it', 'Un attimo per favore, ci sto ancora lavorando.'],
    ['pt-BR', 'Um momento, por favor, ainda estou a tratar disso.'],
    ['nl', 'Een ogenblik alstublieft, ik ben er nog mee bezig.'],
    ['xx', BUSY],
  ])('is told of in the language of the call: %s', (language, phrase) => {
    const spoken = looking(15, { agent: { language } })
      .runUntil(30)
      .heard.map(({ text }) => text);
    expect(spoken.join(' ')).toContain(phrase);
  });

  it('is not told of while the user speaks, nor over the agent', () => {
    const call = looking(25, { model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'It is ten.' }, { text: 'Yes.' }] })
      .userSpeaks(11, 13, 'Take your time, I am going to wait for it.')
      .runUntil(40);
    const busy = call.heard.filter(({ text }) => text === BUSY);
    expect(busy.map(({ fromMs }) => fromMs)).toEqual([22_000]);
    const late = looking(25, {}, { filler_sentence: `${'This takes a while. '.repeat(12)}` }).runUntil(50);
    const wire = late.media.sentAudio;
    expect(wire.every(({ fromMs }, index) => fromMs >= (wire[index - 1]?.toMs ?? 0))).toBe(true);
    expect(late.heard.filter(({ text }) => text === BUSY).map(({ fromMs }) => fromMs)).toEqual([22_000]);
  });

  it('is told of again where a user speaks who was told for the last time', () => {
    const call = looking(70).userSpeaks(40, 42, 'Are you still there?').runUntil(100);
    const busy = call.heard.filter(({ text }) => text === BUSY).map(({ fromMs }) => fromMs);
    expect(busy).toEqual([12_000, 22_000, 32_000, 45_400, 55_400, 65_400]);
    expect(call.heard.filter(({ text }) => text === 'It is ten.')).toHaveLength(1);
    expectReplay(call);
  });

  it('is told of again where such a user presses keys', () => {
    const call = looking(50)
      .at(42, (one) => one.media.emit({ type: 'dtmf', digit: '1', durationMs: 80 }))
      .runUntil(100);
    // The entry ends at 45 s.
    expect(call.heard.filter(({ text }) => text === BUSY).map(({ fromMs }) => fromMs)[3]).toBe(48_200);
  });

  it('is not told of on hold, nor once the call is to end', () => {
    const held = looking(30)
      .at(5, (one) => one.emitControlEvent({ type: 'on_hold' }))
      .at(28, (one) => one.emitControlEvent({ type: 'off_hold' }))
      .runUntil(60);
    expect(held.heard.filter(({ text }) => text === BUSY)).toEqual([]);
    expect(held.heard.at(-1)?.text).toBe('It is ten.');
  });

  it('of two at once is told of once every ten seconds', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, { ...LOOKUP, name: 'other' }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }, { name: 'other' }] }, { text: 'It is ten.' }],
      tools: { lookup: { after: 15, result: {} }, other: { after: 25, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .runUntil(40);
    expect(call.heard.filter(({ text }) => text === BUSY).map(({ fromMs }) => fromMs)).toEqual([12_000, 22_000]);
    expect(call.modelRequests).toHaveLength(2);
  });

  it('can be interrupted in the middle of the phrase, and its result still counts', () => {
    const call = looking(20, { model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'It is ten.' }] })
      .userSpeaks(12.3, 13.5, 'Please hurry up a little.')
      .runUntil(40);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.journalEntries('tool_called')).toHaveLength(1);
    expect(call.heard.at(-1)?.text).toBe('It is ten.');
    for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
  });
});
