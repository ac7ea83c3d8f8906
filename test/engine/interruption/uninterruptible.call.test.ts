import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const NOTICE = 'This call is recorded for training purposes.';
const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  description: 'Look it up',
  url: 'https://example.com',
  filler_sentence: NOTICE,
};
const QUESTION = 'But how much does it cost then?';

function expectHeardToItsEnd(call: Simulation): void {
  expect(call.heard.filter(({ text }) => text === NOTICE)).toHaveLength(1);
  expect(call.heardText).toContain(NOTICE);
  expect(call.dialogue).toContain(`user: ${QUESTION}`);
  expect(call.modelRequests.at(-1)?.messages.some(({ content }) => content === QUESTION)).toBe(true);
}

function speechStart(call: Simulation): number {
  const [first] = call.heard.filter(({ text }) => text === NOTICE);
  return (first?.fromMs ?? 0) / 1000;
}

describe('speech with interruptible: false is heard to its end, and the user is answered afterwards', () => {
  it.each([
    [false, true],
    [true, false],
  ])('of a state: %s', (interruptible, isCut) => {
    const states = [{ name: 'start', interruptible }];
    const call = new Simulation({ agent: { states }, model: [{ text: NOTICE }, { text: 'Ten.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .userSpeaks(2.2, 3.2, QUESTION)
      .runUntil(15);
    if (!isCut) expect(call.heardText).not.toContain(NOTICE);
    else expectHeardToItsEnd(call);
  });

  it.each([
    [false, true],
    [true, false],
  ])('of a tool’s announcement: %s', (interruptible, isWhole) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, interruptible }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Ten.' }, { text: 'Ten.' }, { text: 'Ten.' }],
      tools: { lookup: { after: 0.2, result: { content: 'found' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(2.2, 3.2, QUESTION)
      .runUntil(20);
    expect(speechStart(call)).toBeLessThan(2.2);
    if (isWhole) expectHeardToItsEnd(call);
    else expect(call.heardText).not.toContain(NOTICE);
  });

  it.each([
    [false, true],
    [true, false],
  ])('of a say request: %s', (interruptible, isWhole) => {
    const call = new Simulation({ agent: {}, model: [{ text: 'Ten.' }] })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: NOTICE, interrupt: false, interruptible }))
      .userSpeaks(1.2, 2.2, QUESTION)
      .runUntil(15);
    if (isWhole) expectHeardToItsEnd(call);
    else expect(call.heardText).not.toContain(NOTICE);
  });

  it.each([
    ['a cough', 0.2],
    ['speech', 0.9],
  ])('also if %s before it paused the playback', (_sound, lengthS) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', interruptible: false, tools: [{ ...LOOKUP, filler_sentence: '' }] }] },
      model: [
        { text: 'One.', toolCalls: [{ name: 'lookup' }] },
        { text: NOTICE, after: 1.6 },
      ],
      tools: { lookup: { after: 1, result: { content: 'found' } } },
    })
      .userSpeaks(0.5, 1.5, 'Book it.')
      .at(4.06, (call) => call.media.emit({ type: 'speech_started', audioMs: 4_000 }))
      .at(4.2 + lengthS, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 4_000 + lengthS * 1_000 }))
      .runUntil(15);
    expect(call.commandTimesMs('playout.pause')).toHaveLength(1);
    expect(call.heardTexts).toContain(NOTICE);
  });

  it('keeps it from a say request that interrupts, too', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', interruptible: false }] },
      model: [{ text: NOTICE }],
    })
      .userSpeaks(0.5, 1, 'Hello?')
      .at(2.2, (call) => call.handle.post({ type: 'call.say', text: 'Wait.', interrupt: true }))
      .runUntil(15);
    expect(call.heardTexts).toEqual([NOTICE, 'Wait.']);
  });

  it('lets the rest of the reply be interrupted', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, interruptible: false }] }] },
      model: [
        { toolCalls: [{ name: 'lookup' }] },
        { text: 'One two three four five six seven eight nine ten eleven.' },
        { text: 'Yes.' },
      ],
      tools: { lookup: { after: 0.2, result: { content: 'found' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(4.6, 5.4, QUESTION)
      .runUntil(20);
    expect(call.heardText).toContain(NOTICE);
    expect(call.heardText).not.toContain('eleven');
  });
});
