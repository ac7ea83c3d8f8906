import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { CHARACTER_MS, FINAL_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
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
const REPEATED_FILLER = 'One moment please, I am still on it.';
const FILLER_INTERVAL_MS = 10_000;
/** After a new user turn the filler comes sooner. */
const FILLER_AFTER_TURN_MS = 3_000;

const USER_SPEECH_END_MS = 1_500;
const CALLED_MS = USER_SPEECH_END_MS + FINAL_MS + MODEL_MS;
const FILLER_MS = CALLED_MS + VOICE_MS;
const FILLER_END_MS = FILLER_MS + LOOKUP.filler_sentence.length * CHARACTER_MS;

/** The model calls the tool at `CALLED_MS`. Its result comes after so many seconds. */
function callWithLookup(
  resultAfter: number,
  overrides: Partial<Scenario> = {},
  toolOverrides: Partial<typeof LOOKUP> = {},
): Simulation {
  const { agent, ...scenario } = overrides;
  return new Simulation({
    agent: { ...agent, states: [{ name: 'start', tools: [{ ...LOOKUP, ...toolOverrides }] }] },
    model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'It is ten.' }],
    tools: { lookup: { after: resultAfter, result: {} } },
    ...scenario,
  }).userSpeaks(0.5, USER_SPEECH_END_MS / 1000, 'What does it cost?');
}

const heardTimes = (call: Simulation) => call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs]);
/** When the filler that repeats was heard, ms. */
const repeatedFillersMs = (call: Simulation) =>
  call.heard.filter(({ text }) => text === REPEATED_FILLER).map(({ fromMs }) => fromMs);
/** The n-th repeated filler (from 1). */
const repeatedFillerMs = (nth: number) => CALLED_MS + nth * FILLER_INTERVAL_MS + VOICE_MS;

describe('tool filler', () => {
  it('begins with the tool call', () => {
    const call = callWithLookup(5).runUntil(10);
    const begun = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'tool.run'));
    expect(begun?.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
    const responseMs = CALLED_MS + 5_000 + MODEL_MS + VOICE_MS;
    expect(heardTimes(call)).toEqual([
      [LOOKUP.filler_sentence, FILLER_MS, FILLER_END_MS],
      ['It is ten.', responseMs, responseMs + 500],
    ]);
  });

  it('plays to its end when the result comes first, and the response follows without a gap', () => {
    const call = callWithLookup(0.05).runUntil(10);
    expect(heardTimes(call)).toEqual([
      [LOOKUP.filler_sentence, FILLER_MS, FILLER_END_MS],
      ['It is ten.', FILLER_END_MS, FILLER_END_MS + 500],
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

  it('follows the text that the model wrote beside its tool call', () => {
    const call = callWithLookup(2, {
      model: [{ text: 'Gladly.', toolCalls: [{ name: 'lookup' }] }, { text: 'Ten.' }],
    }).runUntil(10);
    expect(call.heardTexts).toEqual(['Gladly.', 'Let me look that up for you.', 'Ten.']);
    expect(call.modelRequests[1]?.messages[2]).toMatchObject({ content: 'Gladly. Let me look that up for you.' });
  });

  it('precedes the first words of the next state after a transition', () => {
    const transitionFiller = 'Let me bring you to the right desk.';
    const fillerEndMs = FILLER_MS + transitionFiller.length * CHARACTER_MS;
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            transitions: [
              {
                condition: 'c',
                destination_state_name: 'next',
                filler_sentence: transitionFiller,
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
    expect(heardTimes(call)).toEqual([
      [transitionFiller, FILLER_MS, fillerEndMs],
      ['Here it is.', fillerEndMs, fillerEndMs + 550],
    ]);
  });
});

describe('filler of a built-in tool', () => {
  const filler_sentence = 'One moment please.';
  it.each([
    [{ type: 'wait' as const, name: 'it', duration: 30, filler_sentence }, undefined],
    [{ type: 'send_dtmf' as const, name: 'it', filler_sentence }, { digits: '1' }],
    [{ type: 'hang_up' as const, name: 'it', filler_sentence }, undefined],
    [{ type: 'transfer_call' as const, name: 'it', destination: '+4930111111', filler_sentence }, undefined],
  ])('begins with the tool call: $type', (tool, toolArguments) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'it', ...(toolArguments !== undefined && { arguments: toolArguments }) }] }],
    })
      .userSpeaks(0.5, 1.5, 'Go on.')
      .runUntil(4);
    expect(call.heard[0]).toMatchObject({ text: filler_sentence, fromMs: FILLER_MS });
  });
});

describe('repeated tool filler', () => {
  it('comes every ten seconds, three times at most', () => {
    const call = callWithLookup(58).runUntil(80);
    const responseMs = CALLED_MS + 58_000 + MODEL_MS + VOICE_MS;
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      [LOOKUP.filler_sentence, FILLER_MS],
      [REPEATED_FILLER, repeatedFillerMs(1)],
      [REPEATED_FILLER, repeatedFillerMs(2)],
      [REPEATED_FILLER, repeatedFillerMs(3)],
      ['It is ten.', responseMs],
    ]);
    expect(call.heard.map(({ fromMs, toMs }) => toMs - fromMs)).toEqual(
      call.heardTexts.map((text) => text.length * CHARACTER_MS),
    );
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
    expect(call.modelRequests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(call.clock.pending).toBe(1);
    expectReplay(call);
  });

  it('does not come if the result comes before ten seconds', () => {
    expect(callWithLookup(9.9).runUntil(40).heardTexts).not.toContain(REPEATED_FILLER);
  });

  it.each([
    ['de-AT', 'Einen Moment bitte, ich bin noch dabei.'],
    ['fr', 'Un instant s’il vous plaît, je m’en occupe encore.'],
    ['ES', 'Un momento, por favor, sigo en ello.'],
    ['it', 'Un attimo per favore, ci sto ancora lavorando.'],
    ['pt-BR', 'Um momento, por favor, ainda estou a tratar disso.'],
    ['nl', 'Een ogenblik alstublieft, ik ben er nog mee bezig.'],
    ['xx', REPEATED_FILLER],
  ])('has the language of the call: %s', (language, phrase) => {
    expect(callWithLookup(15, { agent: { language } }).runUntil(30).heardTexts.join(' ')).toContain(phrase);
  });

  it('waits while the user or the agent speaks', () => {
    const call = callWithLookup(25, {
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'It is ten.' }, { text: 'Yes.' }],
    })
      .userSpeaks(11, 13, 'Take your time, I am going to wait for it.')
      .runUntil(40);
    expect(repeatedFillersMs(call)).toEqual([repeatedFillerMs(2)]);
    const withLongFiller = callWithLookup(25, {}, { filler_sentence: `${'This takes a while. '.repeat(12)}` }).runUntil(
      50,
    );
    const { sentAudio } = withLongFiller.media;
    expect(sentAudio.every(({ fromMs }, index) => fromMs >= (sentAudio[index - 1]?.toMs ?? 0))).toBe(true);
    expect(repeatedFillersMs(withLongFiller)).toEqual([repeatedFillerMs(2)]);
  });

  it('starts again when the user speaks after the last one', () => {
    const call = callWithLookup(70).userSpeaks(40, 42, 'Are you still there?').runUntil(100);
    const restartMs = 42_000 + FINAL_MS + FILLER_AFTER_TURN_MS + VOICE_MS;
    expect(repeatedFillersMs(call)).toEqual([
      ...[1, 2, 3].map(repeatedFillerMs),
      ...[0, 1, 2].map((nth) => restartMs + nth * FILLER_INTERVAL_MS),
    ]);
    expect(call.heard.filter(({ text }) => text === 'It is ten.')).toHaveLength(1);
    expectReplay(call);
  });

  it('starts again when the user presses a digit after the last one', () => {
    const call = callWithLookup(50).userPresses(42, '1').runUntil(100);
    const entryEndMs = 45_000;
    expect(repeatedFillersMs(call)[3]).toBe(entryEndMs + FILLER_AFTER_TURN_MS + VOICE_MS);
  });

  it('does not come while the call is on hold', () => {
    const call = callWithLookup(30)
      .at(5, (simulation) => simulation.emitControlEvent({ type: 'on_hold' }))
      .at(28, (simulation) => simulation.emitControlEvent({ type: 'off_hold' }))
      .runUntil(60);
    expect(repeatedFillersMs(call)).toEqual([]);
    expect(call.heard.at(-1)?.text).toBe('It is ten.');
  });

  it('covers two running tool calls with one filler every ten seconds', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, { ...LOOKUP, name: 'other' }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }, { name: 'other' }] }, { text: 'It is ten.' }],
      tools: { lookup: { after: 15, result: {} }, other: { after: 25, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .runUntil(40);
    expect(repeatedFillersMs(call)).toEqual([repeatedFillerMs(1), repeatedFillerMs(2)]);
    expect(call.modelRequests).toHaveLength(2);
  });

  it('allows an interruption, and the tool result still counts', () => {
    const call = callWithLookup(20, { model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'It is ten.' }] })
      .userSpeaks(12.3, 13.5, 'Please hurry up a little.')
      .runUntil(40);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.journalEntries('tool_called')).toHaveLength(1);
    expect(call.heard.at(-1)?.text).toBe('It is ten.');
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
  });
});
