import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const REQUESTED_MS = 5_000;
const SAID = 'Your order is ready.';
const FIRST_WORD_MS = REQUESTED_MS + VOICE_MS + 'Your'.length * CHARACTER_MS;
const INTERRUPTION = 'Wait, one moment.';
const GREETING = 'Welcome to the shop.';

/** The user begins to speak at this time; playback pauses half a second later, and stops at the words. */
function interruptedAt(atMs: number, call: Simulation): Simulation {
  const at = atMs / 1000;
  return call
    .at(at + 0.5, () => call.media.emit({ type: 'speech_lasted', audioMs: atMs, lastedMs: 500 }))
    .interimAt(at + 0.2, at, 'Wait')
    .userSpeaks(at, at + 1, INTERRUPTION)
    .runUntil(20);
}

const callWithSay = (texts: readonly string[] = [SAID]) => {
  const call = new Simulation({ agent: {}, model: [{ text: 'Go on.' }] });
  for (const text of texts)
    call.at(REQUESTED_MS / 1000, () => call.handle.post({ type: 'call.say', text, interrupt: false }));
  return call;
};

describe('an answer that a say request interrupts', () => {
  const ANSWER_MS = 1_000 + RESPONSE_MS;
  const callWithRequest = (atMs: number) =>
    new Simulation({ agent: {}, model: [{ text: 'We open at nine.' }, { text: 'At nine.' }] })
      .userSpeaks(0.2, 1, 'When do you open?')
      .at(atMs / 1000, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: true }))
      .runUntil(10);

  it('before its first word is heard is asked for again after the text', () => {
    const call = callWithRequest(ANSWER_MS + 50);
    expect(call.dialogue).toEqual(['user: When do you open?', `agent: ${SAID}`, 'agent: At nine.']);
  });

  it('after its first word is cut', () => {
    const call = callWithRequest(ANSWER_MS + 'We'.length * CHARACTER_MS);
    expect(call.dialogue).toEqual(['user: When do you open?', 'agent: We', `agent: ${SAID}`]);
  });
});

it('words before the initial message are answered although a say request interrupts that message', () => {
  const call = new Simulation({
    agent: { initial_message: 'Welcome to the shop, how can we help you today?', initial_message_delay: 3 },
    model: [{ text: 'It is cancelled.' }],
  }).userSpeaks(0.5, 1.5, 'I want to cancel my order.');
  call.at(4, () => call.handle.post({ type: 'call.say', text: SAID, interrupt: true })).runUntil(20);
  expect(call.transcript[1]).toMatchObject({ role: 'agent', interrupted: true });
  expect(call.dialogue.slice(2)).toEqual([`agent: ${SAID}`, 'agent: It is cancelled.']);
});

describe('a say request that is interrupted before its first word is heard', () => {
  it('is said after the answer, whenever the user begins to speak', () => {
    for (let atMs = REQUESTED_MS - 500; atMs < FIRST_WORD_MS + 500; atMs += 25) {
      const { dialogue } = interruptedAt(atMs, callWithSay());
      const agentText = dialogue.filter((entry) => entry.startsWith('agent')).join();
      expect(agentText.match(/Your/g), `interrupted at ${atMs} ms`).toHaveLength(1);
      expect(dialogue).toContain(`user: ${INTERRUPTION}`);
    }
  });

  it('is neither asked about nor said twice', () => {
    const call = interruptedAt(REQUESTED_MS + 10, callWithSay());
    expect(call.dialogue).toEqual([`user: ${INTERRUPTION}`, 'agent: Go on.', `agent: ${SAID}`]);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.journalEntries('transcript').filter(({ entry }) => entry.content.startsWith('Your'))).not.toEqual([]);
    expectReplay(call);
  });

  it('is cut like any speech once a word was heard', () => {
    const call = interruptedAt(FIRST_WORD_MS, callWithSay());
    expect(call.dialogue[0]).toBe('agent: Your');
    expect(call.transcript[0]).toMatchObject({ interrupted: true, generatedContent: SAID });
    expect(call.dialogue.join()).not.toContain(SAID);
  });

  it('is said although the request before it was interrupted', () => {
    const call = interruptedAt(FIRST_WORD_MS, callWithSay([SAID, 'We close soon.']));
    expect(call.dialogue.at(-1)).toBe('agent: We close soon.');
    expect(call.dialogue.join().match(/Your/g)).toHaveLength(1);
  });

  it('is said although the user presses keys', () => {
    const call = callWithSay()
      .userPresses((REQUESTED_MS + 50) / 1000, '1#', 0.05)
      .runUntil(20);
    expect(call.dialogue.at(-1)).toBe(`agent: ${SAID}`);
  });
});

describe('an initial message that is interrupted before its first word is heard', () => {
  it.each([0, 100])('answers the user who begins to speak at %i ms', (atMs) => {
    const call = interruptedAt(atMs, new Simulation({ agent: { initial_message: GREETING } }));
    expect(call.dialogue).toEqual([`user: ${INTERRUPTION}`, `agent: ${GREETING}`]);
    expectReplay(call);
  });

  it('answers the user who goes on before its first word', () => {
    const call = new Simulation({ agent: { initial_message: GREETING, initial_message_delay: 5 } });
    const { dialogue } = interruptedAt(1_800, call.userSpeaks(0.5, 1.4, 'Good morning.'));
    expect(dialogue.filter((entry) => entry.includes(GREETING))).toHaveLength(1);
    expect(dialogue.join()).toContain(INTERRUPTION);
  });
});
