import { describe, expect, it } from 'vitest';
import {
  classifyEndedTurn,
  recordAnswerType,
  startDetection,
  stopCorrections,
  updateDetection,
} from '../../../engine/answering-machine/detection.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { AnsweringMachineState } from '../../../engine/core/state/answering-machine-slice.ts';
import { NOT_DETECTED } from '../../../engine/core/state/answering-machine-slice.ts';
import type { Reply } from '../../../engine/core/state/playout-slice.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, addUserText, changeAgentItem } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const OUTBOUND = { ...CALL_PARAMETERS, direction: 'outbound' as const };
const TIMES = { detection: 'deciding' as const };

function answered(
  answer: Partial<AnsweringMachineState>,
  caller: Partial<UserTurn> = {},
  more: Partial<CallContext> = {},
  atMs = 3_000,
) {
  return ruleStep(
    {
      parameters: OUTBOUND,
      answeringMachine: { ...NOT_DETECTED, ...TIMES, ...answer },
      userTurn: { ...SILENT_USER, ...caller },
      ...more,
    },
    atMs,
  );
}

/** Whoever answered said this from `fromMs` to `toMs`. */
function said(text: string, fromMs = 500, toMs = 2_000): Partial<UserTurn> {
  return { finals: [text], startedUs: fromMs * 1000, endedUs: toMs * 1000, finalEndedUs: toMs * 1000 };
}

describe('the beginning of the watch', () => {
  it('listens for tones, and sets the bounds of the answer', () => {
    const step = ruleStep({
      parameters: OUTBOUND,
      agent: agentWith({ initial_message: 'Hello.' }),
      greeting: 'scheduled',
    });
    startDetection(step);
    expect(issuedCommands(step)).toEqual([
      { type: 'tones.listen', on: true },
      { type: 'timer.start', timer: 'answering_machine_detection', delayMs: 4_000 },
      { type: 'timer.start', timer: 'answering_machine_correction', delayMs: 15_000 },
      { type: 'timer.start', timer: 'callee_first_word', delayMs: 1_000 },
    ]);
    expect(step.context.answeringMachine).toEqual({ ...NOT_DETECTED, detection: 'deciding' });
  });

  it.each([
    [0, 1_000],
    [0.9, 1_000],
    [1.1, 1_100],
    [5, 5_000],
  ])('gives the callee the first word for a second at least: a delay of %s s makes %s ms', (delay, delayMs) => {
    const agent = agentWith({ initial_message: 'Hello.', initial_message_delay: delay });
    const step = ruleStep({ parameters: OUTBOUND, agent, greeting: 'scheduled' });
    startDetection(step);
    expect(issuedCommands(step).at(-1)).toEqual({ type: 'timer.start', timer: 'callee_first_word', delayMs });
  });

  it('waits for no first word where there is nothing to say, and watches no call that came in', () => {
    const silent = ruleStep({ parameters: OUTBOUND, greeting: 'done' });
    startDetection(silent);
    expect(issuedCommands(silent).map((one) => (one.type === 'timer.start' ? one.timer : one.type))).toEqual([
      'tones.listen',
      'answering_machine_detection',
      'answering_machine_correction',
    ]);
    const inbound = ruleStep({ parameters: CALL_PARAMETERS, greeting: 'scheduled' });
    startDetection(inbound);
    expect(inbound.commands).toEqual([]);
    expect(inbound.context.answeringMachine.detection).toBe('off');
  });
});

describe('the end of the watch', () => {
  it.each([
    ['human', 'none', true],
    ['unknown', 'none', true],
    ['voicemail', 'none', true],
    [null, 'none', true],
    ['ivr', 'none', false],
    ['call_screening', 'none', false],
    ['human', 'speaking', false],
    ['unknown', 'finished', false],
  ] as const)('with %s, whose machine is %s, comes: %s', (type, machine, ends) => {
    const step = answered({ type, speech: machine });
    stopCorrections(step);
    expect(step.context.answeringMachine.detection).toBe(ends ? 'off' : 'deciding');
    expect(issuedCommands(step)).toEqual(ends ? [{ type: 'tones.listen', on: false }] : []);
  });
});

describe('a verdict', () => {
  it('is told, once, with its reason, and ends the wait for it', () => {
    const step = answered({}, said('Hello?', 500, 900));
    classifyEndedTurn(step);
    expect(step.commands).toEqual([
      { type: 'timer.stop', timer: 'answering_machine_detection' },
      { type: 'log', level: 'info', message: 'answered by: human (a short greeting)' },
      { type: 'journal.write', entry: { type: 'answer_type', answerType: 'human', atUs: 3_000_000 } },
    ]);
    expect(step.context.answeringMachine).toMatchObject({
      detection: 'decided',
      type: 'human',
      corrected: false,
      speech: 'none',
    });
    step.commands.length = 0;
    classifyEndedTurn(step);
    expect(step.commands).toEqual([]);
  });

  it('is none while the watch is off', () => {
    const step = answered({ detection: 'off' }, said('Please leave a message after the tone.'));
    updateDetection(step);
    expect(step.commands).toEqual([]);
    expect(step.context.answeringMachine.type).toBeNull();
  });

  it.each([
    [2_500, 'human'],
    [2_501, 'unknown'],
  ])('of a greeting of %s ms is %s: it counts from its own beginning to its own end', (ms, type) => {
    const step = answered({}, said('Hello, who is there?', 700, 700 + ms), {}, 9_000);
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe(type);
  });

  it('of speech that goes on counts up to now', () => {
    const speaking = { ...said('We are out and about', 500, 1_000), speaking: true };
    const before = answered({}, speaking, {}, 7_500);
    updateDetection(before);
    expect(before.context.answeringMachine.type).toBe('unknown');
    const after = answered({}, speaking, {}, 7_501);
    updateDetection(after);
    expect(after.context.answeringMachine).toMatchObject({ type: 'voicemail', speech: 'speaking' });
  });

  it.each([
    [3_999, null],
    [4_000, 'unknown'],
  ])('comes %s ms after the answer at the latest: %s', (atMs, type) => {
    const step = answered({}, {}, {}, atMs + 250);
    step.change({ answeredUs: 250_000 });
    updateDetection(step);
    expect(step.context.answeringMachine.type).toBe(type);
  });

  it('hears a machine’s words also where they stand in two turns', () => {
    const step = answered({}, said('message now.', 3_500, 4_000));
    addUserText(step, 'Please record your');
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe('voicemail');
  });

  it('does not take the agent’s own words for those of a machine', () => {
    const step = answered({}, said('Yes.', 2_500, 2_700));
    changeAgentItem(step, addAgentItem(step), { text: 'Shall I leave a message after the tone?' });
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe('human');
  });

  it('of a long turn that answers the agent is a person, and only where the agent was heard', () => {
    for (const isHeard of [true, false]) {
      const step = answered({}, said('Oh how good that you call, we have waited', 500, 4_000), {}, 4_500);
      addUserText(step, 'Hello?');
      changeAgentItem(step, addAgentItem(step), {
        text: 'Hello.',
        entry: isHeard ? { sequence: 1, startUs: 1 } : null,
      });
      classifyEndedTurn(step);
      expect(step.context.answeringMachine.type).toBe(isHeard ? 'human' : 'unknown');
    }
  });
});

describe('who answered becomes another', () => {
  const machineWords = 'Please leave a message after the tone.';
  const absence = 'He is not here, leave him a message';

  it.each([
    ['unknown', false, 'Hello?', 'human'],
    ['human', false, machineWords, 'voicemail'],
    ['human', false, 'For sales, press 1.', 'ivr'],
    ['human', false, 'Please state your name.', 'call_screening'],
    ['human', false, 'The number is not in service.', 'human'],
    ['human', true, machineWords, 'human'],
    ['ivr', false, machineWords, 'voicemail'],
    ['ivr', true, machineWords, 'ivr'],
    ['call_screening', false, machineWords, 'voicemail'],
    ['voicemail', false, 'Hello?', 'voicemail'],
    ['ivr', false, 'Hello?', 'ivr'],
  ] as const)('%s (corrected before: %s) by «%s»: %s', (type, corrected, text, then) => {
    const step = answered({ detection: 'decided', type, corrected }, said(text));
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe(then);
    const wasKnown = type !== 'unknown';
    expect(step.context.answeringMachine.corrected).toBe(corrected || (then !== type && wasKnown));
  });

  it.each([
    [2_500, 'human'],
    [2_501, 'voicemail'],
  ])('words of absence in a turn of %s ms leave a person %s', (ms, then) => {
    const step = answered({ detection: 'decided', type: 'human' }, said(absence, 500, 500 + ms), {}, 9_000);
    updateDetection(step);
    expect(step.context.answeringMachine.type).toBe(then);
  });

  it.each([
    [2, 'voicemail'],
    [3, 'human'],
  ])('by a beep after %s turns: %s', (turn, then) => {
    const step = answered({ detection: 'decided', type: 'human', beepUs: 2_900_000 });
    step.change({ counters: { ...step.context.counters, turn } });
    updateDetection(step);
    expect(step.context.answeringMachine.type).toBe(then);
    expect(step.context.answeringMachine.speech).toBe(then === 'voicemail' ? 'finished' : 'none');
  });
});

describe('a machine is listened to', () => {
  const machine = (answer: Partial<AnsweringMachineState>, text: string, more: Partial<CallContext> = {}) => {
    const step = answered(answer, said(text), more);
    updateDetection(step);
    return step.context.answeringMachine.speech;
  };
  const menu = 'For sales, press 1.';
  const announcement = 'The number is not in service.';
  const message = 'Please leave a message after the tone.';

  it.each([
    [{ type: null }, menu, 'speaking'],
    [{ type: null, speech: 'finished' as const }, menu, 'finished'],
    // The next part of what goes on.
    [{ type: 'ivr' as const, greetingHeard: true }, menu, 'speaking'],
    [{ type: 'call_screening' as const, greetingHeard: true }, 'Please state your name.', 'speaking'],
    [{ type: 'unknown' as const }, announcement, 'speaking'],
    [{ type: 'unknown' as const, greetingHeard: true }, announcement, 'none'],
    [{ type: 'voicemail' as const, greetingHeard: true }, message, 'none'],
    [{ type: 'ivr' as const }, 'Hello?', 'none'],
  ])('%j with «%s»: %s', (answer, text, then) => {
    expect(machine(answer, text)).toBe(then);
  });

  it('but not where the call ends or hands over anyway', () => {
    expect(machine({}, menu, { decidedEnd: 'llm_error' })).toBe('none');
    const replying = (after: Reply['followUp']) => {
      const step = answered({}, said(menu));
      startReply(step, null);
      const { reply } = step.context;
      if (reply !== null) step.change({ reply: { ...reply, followUp: after } });
      updateDetection(step);
      return step.context.answeringMachine.speech;
    };
    const result = { call: { id: 'x', name: 'bye' }, sequence: 1, startUs: 0 };
    expect(replying({ type: 'listen' })).toBe('speaking');
    expect(replying({ type: 'end', reason: 'agent_hangup', result })).toBe('none');
  });

  it('nor is a menu’s next part, while the agent answers the one before', () => {
    const step = answered({ type: 'ivr', greetingHeard: true }, said(menu));
    startReply(step, null);
    updateDetection(step);
    expect(step.context.answeringMachine.speech).toBe('none');
  });
});

it('what the model says of who answered is told like what was heard', () => {
  const step = answered({ type: 'human', detection: 'decided' });
  recordAnswerType(step, 'voicemail', 'the model');
  expect(step.commands).toContainEqual({
    type: 'log',
    level: 'info',
    message: 'answered by: voicemail (the model)',
  });
  expect(step.context.answeringMachine).toMatchObject({ type: 'voicemail', corrected: true, detection: 'decided' });
});
