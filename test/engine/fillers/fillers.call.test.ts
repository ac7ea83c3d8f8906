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
const FIRST_FILLER = 'One moment, please.';
/** From the last sound to the first filler, and from a filler to the next one. */
const SILENCE_MS = 3_000;
const REPEAT_MS = 8_500;
/** The longest silence before the first filler, and before each later one. */
const SILENCE_MS_MAX = 3_500;
const REPEAT_MS_MAX = 10_000;

const USER_SPEECH_END_MS = 1_500;
const CALLED_MS = USER_SPEECH_END_MS + FINAL_MS + MODEL_MS;
const FILLER_MS = CALLED_MS + VOICE_MS;
const FILLER_END_MS = FILLER_MS + LOOKUP.filler_sentence.length * CHARACTER_MS;

/** The model calls the tool at `CALLED_MS`. Its result comes after this many seconds. */
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
/** The silences between the agent's sounds, in ms. */
const silencesMs = ({ heard }: Simulation) =>
  heard.slice(1).map(({ fromMs }, index) => fromMs - (heard[index]?.toMs ?? 0));

describe('tool filler', () => {
  it.each(['Okay.', 'Mhm.'])('is repeated after a backchannel: %s', (word) => {
    const saidS = FILLER_END_MS / 1000 + 0.5;
    const call = callWithLookup(20)
      .userSpeaks(saidS, saidS + 0.3, word)
      .runUntil(40);
    for (const silenceMs of silencesMs(call)) expect(silenceMs).toBeLessThanOrEqual(REPEAT_MS_MAX);
  });

  it('begins with the tool call', () => {
    const call = callWithLookup(3).runUntil(10);
    const begun = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'tool.run'));
    expect(begun?.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
    const responseMs = CALLED_MS + 3_000 + MODEL_MS + VOICE_MS;
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

describe('the clock of silence during a tool call', () => {
  it.each([8, 30, 110])('lets the user hear something in time, without an announcement: %s s', (seconds) => {
    const call = callWithLookup(seconds, {}, { filler_sentence: '' }).runUntil(seconds + 10);
    expect((call.heard[0]?.fromMs ?? 0) - USER_SPEECH_END_MS).toBeLessThanOrEqual(SILENCE_MS_MAX);
    expect(call.heardTexts[0]).toBe(FIRST_FILLER);
    expect(Math.max(0, ...silencesMs(call))).toBeLessThanOrEqual(REPEAT_MS_MAX);
    expect(call.heardTexts.at(-1)).toBe('It is ten.');
    expectReplay(call);
  });

  it('counts from the end of the announcement, then from each filler', () => {
    const call = callWithLookup(58).runUntil(80);
    const [first, ...others] = silencesMs(call).slice(0, -1);
    expect(first).toBe(SILENCE_MS + VOICE_MS);
    expect(new Set(others)).toEqual(new Set([REPEAT_MS + VOICE_MS]));
    expect(repeatedFillersMs(call)).toHaveLength(6);
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
    expect(call.modelRequests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(call.clock.pending).toBe(1);
  });

  it('covers the tool and the generation after it', () => {
    const call = callWithLookup(3, {
      model: [{ toolCalls: [{ name: 'lookup' }] }, { after: 6, firstTokenAfter: 6, text: 'It is ten.' }],
    }).runUntil(20);
    expect(call.heardTexts).toEqual([LOOKUP.filler_sentence, FIRST_FILLER, 'It is ten.']);
    expect(silencesMs(call)[0]).toBe(SILENCE_MS + VOICE_MS);
  });

  it('covers two running tool calls', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, { ...LOOKUP, name: 'other' }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }, { name: 'other' }] }, { text: 'It is ten.' }],
      tools: { lookup: { after: 15, result: {} }, other: { after: 25, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .runUntil(40);
    expect(Math.max(...silencesMs(call))).toBeLessThanOrEqual(REPEAT_MS_MAX);
    expect(repeatedFillersMs(call).length).toBeLessThanOrEqual(3);
    expect(call.modelRequests).toHaveLength(2);
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

  it('never lets a filler fall into other speech of the agent', () => {
    const call = callWithLookup(25, {}, { filler_sentence: `${'This takes a while. '.repeat(12)}` }).runUntil(50);
    const { sentAudio } = call.media;
    expect(sentAudio.every(({ fromMs }, index) => fromMs >= (sentAudio[index - 1]?.toMs ?? 0))).toBe(true);
  });

  it.each([
    ['Yes, I wait.', 'An answer'],
    ['Is it far?', 'It is near.'],
  ])('counts an answer during the tool like a filler: «%s»', (question, answer) => {
    const call = callWithLookup(30, { model: [{ toolCalls: [{ name: 'lookup' }] }, { text: answer }] });
    call.userSpeaks(5, 5.6, question).runUntil(25);
    expect(call.heardTexts.slice(1, 3)).toEqual([answer, REPEATED_FILLER]);
    expect(silencesMs(call)[1]).toBe(REPEAT_MS + VOICE_MS);
  });

  it('is not moved by sounds without words', () => {
    const call = callWithLookup(20);
    for (let atMs = 4_300; atMs < 20_000; atMs += 1_000) {
      call.at(atMs / 1000, () => call.media.emit({ type: 'speech_started', audioMs: atMs }));
      call.at(atMs / 1000 + 0.2, () => call.media.emit({ type: 'speech_stopped', audioMs: atMs + 200 }));
    }
    const [first, second] = silencesMs(call.runUntil(25));
    // A sound is waited for until it turns out to have no words.
    expect(first).toBeLessThanOrEqual(SILENCE_MS + VOICE_MS + 1_000);
    expect(second).toBeLessThanOrEqual(REPEAT_MS_MAX);
  });

  it('is not stopped by a sound without words that lasts', () => {
    const call = callWithLookup(20)
      .at(0.9, (simulation) => simulation.interimAt(0.95, 0.5, 'What does'))
      .at(4.3, (simulation) => simulation.media.emit({ type: 'speech_started', audioMs: 4_300 }))
      .runUntil(25);
    expect(silencesMs(call)[0]).toBeLessThanOrEqual(SILENCE_MS_MAX + VOICE_MS + 1_000);
  });

  it('waits for the words of a sound that has just begun', () => {
    const dueMs = FILLER_END_MS + SILENCE_MS;
    // Shorter than a noise, and longer than the pause of a sound without words.
    const stoppedMs = dueMs + 2_500;
    const call = callWithLookup(20)
      .at(0.9, (simulation) => simulation.interimAt(0.95, 0.5, 'What does'))
      .at((dueMs - 300) / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: dueMs - 300 }))
      .at(stoppedMs / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: stoppedMs }))
      .runUntil(15);
    expect(repeatedFillersMs(call)[0] ?? call.heard[1]?.fromMs).toBeGreaterThan(stoppedMs);
  });

  it('lets the result follow a filler at once that was said for the tool of an earlier answer', () => {
    const model = [{ toolCalls: [{ name: 'lookup' }] }, { text: 'An answer' }, { text: 'It is ten.' }];
    const callUntil = (resultS: number) =>
      callWithLookup(resultS, { model }).userSpeaks(5, 5.6, 'Yes, I wait.').runUntil(40);
    const fillerMs = callUntil(35).heard[2]?.fromMs ?? 0;
    const { heard } = callUntil((fillerMs + 300 - CALLED_MS) / 1000);
    expect(heard.slice(2).map(({ text }) => text)).toEqual([REPEATED_FILLER, 'It is ten.']);
    expect(heard[3]?.fromMs).toBe(heard[2]?.toMs);
  });

  it('is not moved by a backchannel', () => {
    const call = callWithLookup(20).userSpeaks(5, 5.3, 'Okay.').runUntil(25);
    expect(silencesMs(call).slice(0, 2)).toEqual([SILENCE_MS + VOICE_MS, REPEAT_MS + VOICE_MS]);
  });

  it.each([
    ['a short word', {}, 'Tomorrow?', 0.4],
    ['too few words', { interruptions_sensitivity: 'low' }, 'Hurry up.', 0.6],
    ['a question that may not interrupt', { interruptions: false }, 'How long does it take?', 1.2],
  ] as const)('goes on after %s while the answer is generated', (_words, agent, text, lengthS) => {
    const model = [
      { text: 'I look it up.', toolCalls: [{ name: 'lookup' }] },
      { text: 'It is ten.', after: 9.5 },
    ];
    const call = callWithLookup(0.5, { agent, model }, { filler_sentence: '' })
      .userSpeaks(3.5, 3.5 + lengthS, text)
      .runUntil(20);
    const sounds = call.heard.filter(({ fromMs }) => fromMs > 3_500);
    expect(sounds[0]?.text).toBe(FIRST_FILLER);
    expect(sounds[0]?.fromMs).toBeLessThanOrEqual((3.5 + lengthS) * 1_000 + FINAL_MS + SILENCE_MS_MAX);
  });

  it('counts from the user’s words, not from the drop of the speech that they paused', () => {
    const speech = 'We have a table for two near the window and another one in the garden and a third one.';
    const call = new Simulation({ agent: {}, model: [{ text: speech }, { text: 'It is ten.', after: 8 }] })
      .userSpeaks(0.5, 1.5, 'What do you have?')
      .userSpeaks(3, 4, 'And what does it cost?', { finalAfter: 2.4 })
      .runUntil(20);
    const filler = call.heard.find(({ text }) => text === FIRST_FILLER);
    // The silence is over 3 s already, but a model that was just asked gets a second.
    expect(filler?.fromMs).toBe(6_400 + 1_000 + VOICE_MS);
  });

  it('waits while the user speaks, and counts from the end of the answer', () => {
    const call = callWithLookup(25, {
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'I wait too.' }, { text: 'It is ten.' }],
    })
      .userSpeaks(4, 9, 'Take your time, I am going to wait for it.')
      .runUntil(40);
    expect(call.heardTexts.slice(0, 3)).toEqual([LOOKUP.filler_sentence, 'I wait too.', REPEATED_FILLER]);
    expect(silencesMs(call)[1]).toBe(REPEAT_MS + VOICE_MS);
  });

  it('is stopped while the call is on hold', () => {
    const call = callWithLookup(40)
      .at(5, (simulation) => simulation.emitControlEvent({ type: 'on_hold' }))
      .at(28, (simulation) => simulation.emitControlEvent({ type: 'off_hold' }))
      .runUntil(60);
    expect(repeatedFillersMs(call)[0]).toBeGreaterThan(29_000);
    expect(call.heard.at(-1)?.text).toBe('It is ten.');
  });

  it.each(['ivr', 'voicemail'] as const)('is silent when a machine listens: %s', (machine) => {
    const text = machine === 'ivr' ? 'For sales press one.' : 'Please leave a message after the tone.';
    const call = callWithLookup(20, { parameters: { direction: 'outbound' } }, { filler_sentence: '' })
      .at(0, (simulation) => simulation.emitControlEvent({ type: 'answered' }))
      .userSpeaks(3, 5, text)
      .runUntil(15);
    expect(call.heardTexts.filter((heard) => heard === REPEATED_FILLER)).toEqual([]);
  });
});
