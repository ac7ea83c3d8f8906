import { describe, expect, it } from 'vitest';
import { FINAL_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const NAME = { name: 'name', description: 'The caller’s name.' };
const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  filler_sentence: 'Sure {{name}}, let me look. It takes a moment.',
  parameters: [{ name: 'day', type: 'string' as const }],
};
const STATES = [
  {
    name: 'start',
    tools: [LOOKUP],
    transitions: [
      { condition: 'They are known.', destination_state_name: 'next', filler_sentence: 'Thank you, {{name}}.' },
    ],
  },
  { name: 'next', prompt: 'Be kind. Repeat {{name}}, say it is noted.' },
];
const EXTRACTION_WAIT_MS = 600;
/** From the end of the user's speech to the tool call, and to the answer of the extraction. */
const CALLED_MS = 1_500 + FINAL_MS + MODEL_MS;

function call(model: NonNullable<Scenario['model']>, scenario: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent: { variables: [NAME], states: STATES }, model, ...scenario })
    .userSpeaks(0.5, 1.5, 'I am Ada, for Monday.')
    .runUntil(12);
}
const lookupWith = (values: { readonly name?: string }): NonNullable<Scenario['model']> => [
  { toolCalls: [{ name: 'lookup', arguments: { day: 'Monday', ...values } }] },
  { text: 'It is free.' },
];
const goWith = (values: { readonly name?: string }): NonNullable<Scenario['model']> => [
  { toolCalls: [{ name: 'go_to_next', arguments: values }] },
  { text: 'Noted.' },
];
const parametersOf = (simulation: Simulation, name: string, nth = 0) =>
  simulation.modelRequests[nth]?.functions.find((candidate) => candidate.name === name)?.parameters;
const promptOf = (simulation: Simulation, nth: number) => simulation.modelRequests[nth]?.messages[0]?.content;

describe('a variable that a filler or the next prompt names', () => {
  it('is an argument of that call, which may be null, until it has a value', () => {
    const simulation = call([...lookupWith({ name: 'Ada' }), { text: 'Fine.' }]);
    const schema = { anyOf: [{ type: 'string', description: NAME.description }, { type: 'null' }] };
    expect(parametersOf(simulation, 'lookup')).toMatchObject({
      required: ['day', 'name'],
      properties: { name: schema },
    });
    expect(parametersOf(simulation, 'go_to_next')).toMatchObject({ required: ['name'], properties: { name: schema } });
    expect(parametersOf(simulation, 'lookup', 1)).toMatchObject({ required: ['day'] });
    expect(parametersOf(simulation, 'go_to_next', 1)).toMatchObject({ required: [], properties: {} });
  });

  it('is heard in the filler at once, and never sent to the function', () => {
    const simulation = call(lookupWith({ name: 'Ada' }));
    expect(simulation.heard[0]).toMatchObject({ text: 'Sure Ada, let me look.', fromMs: CALLED_MS + VOICE_MS });
    expect(simulation.toolRuns.map(({ values }) => values)).toEqual([{ day: 'Monday' }]);
    expect(simulation.handle.view().variables.find(({ name }) => name === 'name')?.value).toBe('Ada');
    expectReplay(simulation);
  });

  it('is in the next state’s prompt', () => {
    const simulation = call(goWith({ name: 'Ada' }));
    expect(simulation.heardTexts).toEqual(['Thank you, Ada.', 'Noted.']);
    expect(promptOf(simulation, 1)).toContain('Be kind. Repeat Ada, say it is noted.');
  });

  it('is waited for if the extraction finds it in time', () => {
    const found = { extractions: [{ name: 'Ada' }] };
    const filler = call(lookupWith({}), found);
    // The extraction was asked with the model, and answers 200 ms after it.
    expect(filler.heard[0]).toMatchObject({ text: 'Sure Ada, let me look.', fromMs: CALLED_MS + 200 + VOICE_MS });
    const transition = call(goWith({}), found);
    expect(transition.heardTexts).toEqual(['Thank you, Ada.', 'Noted.']);
    expect(promptOf(transition, 1)).toContain('Repeat Ada, say it is noted.');
    expectReplay(transition);
  });

  it('is waited for no longer than 600 ms: then its sentences are left out', () => {
    const late = { extractionMs: 5_000, extractions: [{ name: 'Ada' }] };
    const filler = call(lookupWith({}), late);
    expect(filler.heard[0]).toMatchObject({
      text: 'It takes a moment.',
      fromMs: CALLED_MS + EXTRACTION_WAIT_MS + VOICE_MS,
    });
    const transition = call(goWith({}), late);
    expect(transition.heardTexts).toEqual(['Noted.']);
    expect(promptOf(transition, 1)).toContain('Be kind.');
    expect(promptOf(transition, 1)).not.toContain('Repeat');
    expect(transition.commandTimesMs('model.request')[1]).toBe(CALLED_MS + EXTRACTION_WAIT_MS);
  });

  it('is not waited for once the extraction has failed', () => {
    const simulation = call(lookupWith({}), { failedExtractions: 1 });
    // The extraction was asked with the model, and fails 200 ms after it.
    expect(simulation.heard[0]).toMatchObject({ text: 'It takes a moment.', fromMs: CALLED_MS + 200 + VOICE_MS });
  });

  it('is not waited for without a running extraction that asks for it', () => {
    const undeclared = { states: STATES };
    const simulation = call(goWith({}), { agent: undeclared });
    expect(simulation.heardTexts).toEqual(['Noted.']);
    expect(simulation.commandTimesMs('model.request')[1]).toBe(CALLED_MS);
    expect(parametersOf(simulation, 'go_to_next')).toMatchObject({ properties: {} });
  });

  it('keeps its value if the model gives another one', () => {
    const simulation = call(lookupWith({ name: 'Eve' }), { parameters: { dynamicVariables: { name: 'Ada' } } });
    expect(simulation.heardTexts[0]).toBe('Sure Ada, let me look.');
  });

  it('is not a parameter if the response of the tool sets it', () => {
    const mapped = { ...LOOKUP, response_mapping: [{ json_path_to_data: '$.name', destination_variable: 'name' }] };
    const simulation = call([{ text: 'Yes.' }], {
      agent: { variables: [NAME], states: [{ name: 'start', tools: [mapped] }] },
    });
    expect(parametersOf(simulation, 'lookup')).toMatchObject({ required: ['day'] });
  });

  it('drops its waiting filler if the user interrupts', () => {
    const late = { extractionMs: 5_000, extractions: [{ name: 'Ada' }] };
    const simulation = new Simulation({
      agent: { variables: [NAME], states: STATES },
      model: [...goWith({}), { text: 'Yes.' }],
      ...late,
    })
      .userSpeaks(0.5, 1.5, 'I am Ada, for Monday.')
      .userSpeaks(1.9, 3, 'No wait, for Tuesday.')
      .runUntil(12);
    expect(simulation.heardTexts.join(' ')).not.toContain('Thank you');
    expectReplay(simulation);
  });
});

describe('a prompt', () => {
  it('keeps a sentence that lacks a value if it has no other, and names what is not known', () => {
    const agent = { states: [{ name: 'start', prompt: 'Repeat {{number}}, say it is noted.' }] };
    const simulation = new Simulation({ agent }).userSpeaks(0.5, 1.5, 'Hello.').runUntil(5);
    expect(promptOf(simulation, 0)).toContain('Repeat "(not known yet: number)", say it is noted.');
  });
});

describe('a greeting', () => {
  it('is said with an empty text in place of a missing value', () => {
    const simulation = new Simulation({ agent: { initial_message: 'Hello {{who}}, this is Anna.' } }).runUntil(5);
    expect(simulation.heardTexts).toEqual(['Hello, this is Anna.']);
  });
});
