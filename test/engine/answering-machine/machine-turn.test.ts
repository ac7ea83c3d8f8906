import { describe, expect, it } from 'vitest';
import {
  answerMachine,
  machineAsksToWait,
  machineHasTurn,
  onTone,
  requestVoicemailMessage,
  scheduleMachineEnd,
  startMachineTurn,
  waitForCallee,
} from '../../../engine/answering-machine/machine-turn.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { AnsweringMachineState } from '../../../engine/core/state/answering-machine-slice.ts';
import { NOT_DETECTED } from '../../../engine/core/state/answering-machine-slice.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const NOW_MS = 10_000;
const MESSAGE = 'Please call us back.';
const LEAVES_MESSAGE = { type: 'leave_voicemail_message', name: 'leave_message', filler_sentence: MESSAGE } as const;

interface Case {
  readonly answeringMachine?: Partial<AnsweringMachineState>;
  readonly userTurn?: Partial<UserTurn>;
  readonly agent?: Scenario['agent'];
  readonly context?: Partial<CallContext>;
  readonly event?: CallEvent;
}

/** A machine has answered a call that we placed. */
function machine({ answeringMachine, userTurn, agent = {}, context, event }: Case = {}): RuleStep {
  const before = initialContext(agentWith(agent), { ...CALL_PARAMETERS, direction: 'outbound' });
  const settled = { ...NOT_DETECTED, detection: 'decided', type: 'voicemail', speech: 'speaking' } as const;
  return ruleStep(
    {
      ...before,
      answeringMachine: { ...settled, ...answeringMachine },
      userTurn: { ...SILENT_USER, ...userTurn },
      ...context,
    },
    NOW_MS,
    event,
  );
}

const withMessage = {
  states: [{ name: 'talk', prompt: 'Talk.', tools: [LEAVES_MESSAGE] }],
  initial_state_name: 'talk',
};
const timers = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => {
    if (command.type === 'timer.start') return [`${command.timer} ${command.delayMs}`];
    return command.type === 'timer.stop' ? [`${command.timer} stops`] : [];
  });
const said = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));
const tones = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'tones.listen' ? [command.on] : []));
const tone = (kind: 'beep' | 'sit'): CallEvent => ({
  type: 'media.tone',
  kind,
  frequencyHz: 1_000,
  startMs: 9_000,
  endMs: 9_500,
});

describe('a machine that has the floor', () => {
  it('is attended until the call is to end', () => {
    expect(machineHasTurn(machine().context)).toBe(true);
    expect(machineHasTurn(machine({ answeringMachine: { speech: 'finished' } }).context)).toBe(true);
    expect(machineHasTurn(machine({ answeringMachine: { speech: 'none' } }).context)).toBe(false);
    expect(machineHasTurn(machine({ context: { decidedEnd: 'agent_hangup' } }).context)).toBe(false);
  });

  it('cuts what is said to it, which nobody is owed; it is listened to for a minute at most', () => {
    const step = machine({ context: { pendingResponse: true } });
    startReply(step, null);
    startMachineTurn(step);
    expect(step.context).toMatchObject({ reply: null, pendingResponse: false });
    expect(timers(step)).toEqual(
      expect.arrayContaining([
        'endpoint stops',
        'callee_first_word stops',
        'machine_turn_limit 60000',
        'machine_silence 1800',
      ]),
    );
  });

  it.each([
    ['pending', 'scheduled'],
    ['scheduled', 'scheduled'],
    ['done', 'done'],
  ] as const)('leaves a greeting that is %s %s for the person who comes then', (greeting, left) => {
    const attended = machine({ context: { greeting } });
    startMachineTurn(attended);
    expect(attended.context.greeting).toBe(left);
    const waited = machine({ context: { greeting } });
    waitForCallee(waited);
    expect(waited.context.greeting).toBe(left);
  });

  it.each([
    ['voicemail', 1_800],
    ['ivr', 1_200],
    ['call_screening', 800],
    ['human', 1_800],
    ['unknown', 1_800],
    [null, 1_800],
  ] as const)('as %s has come to its end after %i ms of silence', (type, silenceMs) => {
    const at = (silentMs: number) => {
      const step = machine({ answeringMachine: { type }, userTurn: { endedUs: (NOW_MS - silentMs) * 1000 } });
      scheduleMachineEnd(step);
      return [timers(step), step.context.answeringMachine.speech];
    };
    expect(at(500)).toEqual([[`machine_silence ${silenceMs - 500}`], 'speaking']);
    expect(at(silenceMs - 1)).toEqual([['machine_silence 1'], 'speaking']);
    expect(at(silenceMs)).toEqual([['machine_silence stops', 'machine_turn_limit stops'], 'finished']);
  });

  it('has not while it speaks, and does so once', () => {
    const speaking = machine({ userTurn: { speaking: true, endedUs: 0 } });
    scheduleMachineEnd(speaking);
    expect([timers(speaking), speaking.context.answeringMachine.speech]).toEqual([
      ['machine_silence stops'],
      'speaking',
    ]);
    const done = machine({ answeringMachine: { speech: 'finished' }, userTurn: { endedUs: 0 } });
    scheduleMachineEnd(done);
    expect(issuedCommands(done)).toEqual([]);
  });
});

describe('a tone', () => {
  it('is kept: a beep with its end, the tones before an announcement as such', () => {
    const beep = machine({ event: tone('beep') });
    onTone(beep);
    expect(beep.context.answeringMachine).toMatchObject({ beepUs: 9_500_000, sitHeard: false, speech: 'finished' });
    const sit = machine({ event: tone('sit') });
    onTone(sit);
    expect(sit.context.answeringMachine).toMatchObject({ beepUs: null, sitHeard: true, speech: 'speaking' });
  });

  it('ends no menu, and nothing else is a tone', () => {
    const menu = machine({ answeringMachine: { type: 'ivr' }, event: tone('beep') });
    onTone(menu);
    expect(menu.context.answeringMachine.speech).toBe('speaking');
    const other = machine();
    onTone(other);
    expect(issuedCommands(other)).toEqual([]);
  });

  it('has a message that was begun before it said again, whole, unless the call is over', () => {
    const messageOver = (context: Partial<CallContext>, isSaying = true) => {
      const step = machine({ answeringMachine: { speech: 'none' }, agent: withMessage, context, event: tone('beep') });
      if (isSaying) startReply(step, null);
      onTone(step);
      return said(step);
    };
    expect(messageOver({ decidedEnd: 'voicemail_left' })).toEqual([MESSAGE]);
    expect(messageOver({ decidedEnd: 'voicemail_left' }, false)).toEqual([]);
    expect(messageOver({ decidedEnd: 'voicemail_left', endReason: 'caller_hangup' })).toEqual([]);
    expect(messageOver({ decidedEnd: 'agent_hangup' })).toEqual([]);
    expect(messageOver({ decidedEnd: null })).toEqual([]);
  });
});

describe('a machine that has come to its end', () => {
  it('as a voicemail is left the message, which nothing interrupts, and the call ends with it', () => {
    for (const type of ['voicemail', null] as const) {
      const step = machine({
        answeringMachine: { type, beepUs: 9_500_000 },
        agent: withMessage,
        context: { pendingResponse: true },
      });
      answerMachine(step);
      expect(said(step)).toEqual([MESSAGE]);
      expect(tones(step)).toEqual([false]);
      expect(step.context).toMatchObject({
        decidedEnd: 'voicemail_left',
        greeting: 'done',
        pendingResponse: false,
        reply: { interruptible: false, turn: { number: 1 } },
        answeringMachine: { speech: 'none', greetingHeard: true },
      });
      expect(timers(step)).toEqual(expect.arrayContaining(['machine_silence stops', 'machine_turn_limit stops']));
    }
  });

  it('without a beep is listened to for one while the message is said', () => {
    const step = machine({ agent: withMessage });
    answerMachine(step);
    expect([said(step), tones(step)]).toEqual([[MESSAGE], []]);
  });

  it('without words has its tone for a turn, and the words that it had else', () => {
    const beeped = machine({ agent: withMessage });
    answerMachine(beeped);
    expect(beeped.context.history[0]).toMatchObject({ type: 'user', text: '[a tone]' });
    expect(beeped.context.reply?.turn).toEqual({ number: 1, speechEndedUs: 10_000_000, committedUs: 10_000_000 });
    const spoke = machine({ agent: withMessage, userTurn: { finals: ['Leave a message.'], endedUs: 8_000_000 } });
    answerMachine(spoke);
    expect(spoke.context.history[0]).toMatchObject({ type: 'user', text: 'Leave a message.' });
    expect(spoke.context.reply?.turn).toMatchObject({ speechEndedUs: 8_000_000 });
  });

  it.each([
    ['voicemail', /^A voicemail answered/],
    [null, /^A voicemail answered/],
    ['human', /^A voicemail answered/],
    ['ivr', /^An automated menu/],
    ['call_screening', /^Your call is being screened/],
    ['unknown', /^A recorded announcement/],
  ] as const)('as %s is told to the model, once, which answers it', (type, note) => {
    const step = machine({ answeringMachine: { type, purposeSaid: true } });
    answerMachine(step);
    answerMachine(step);
    expect(step.context.notes).toEqual([expect.stringMatching(note)]);
    expect(step.context).toMatchObject({ greeting: 'done', reply: { interruptible: false, requestPending: true } });
    expect(said(step)).toEqual([]);
  });

  it('as a voicemail without a message of any words is the model’s', () => {
    const silent = { ...LEAVES_MESSAGE, filler_sentence: '{{nothing}}' };
    const step = machine({ agent: { ...withMessage, states: [{ name: 'talk', prompt: 'Talk.', tools: [silent] }] } });
    answerMachine(step);
    expect([said(step), step.context.decidedEnd, step.context.reply?.requestPending]).toEqual([[], null, true]);
  });
});

describe('whoever screens the call', () => {
  const screening = (agent: Scenario['agent'], answer: Partial<AnsweringMachineState> = {}) => {
    const step = machine({ agent, answeringMachine: { type: 'call_screening', ...answer } });
    answerMachine(step);
    return step;
  };

  it('is told the purpose once, and the greeting waits a minute for whom they fetch', () => {
    const step = screening({ initial_message: 'Hello there.', call_purpose: 'About your order.' });
    expect(said(step)).toEqual(['About your order.']);
    expect(step.context).toMatchObject({
      greeting: 'scheduled',
      answeringMachine: { purposeSaid: true },
      reply: { interruptible: false },
      presence: { checks: 0, pausedUntilUs: 70_000_000 },
    });
    expect(timers(step)).toContain('screening_wait 60000');
    expect(said(screening({ call_purpose: 'About your order.' }, { purposeSaid: true }))).toEqual([]);
  });

  it('is told the greeting where there is no purpose, and nothing is owed where there is neither', () => {
    expect(said(screening({ initial_message: 'Hello there.' }))).toEqual(['Hello there.']);
    expect(said(screening({ initial_message: 'Hello there.', call_purpose: '{{nothing}}' }))).toEqual(['Hello there.']);
    const step = screening({ initial_message: '', call_purpose: 'About your order.' });
    expect(step.context.greeting).toBe('done');
    expect(timers(step).filter((timer) => timer.startsWith('screening_wait'))).toEqual([]);
  });

  it('and a menu may ask for patience, which is no turn that is answered', () => {
    const toldTo = (text: string, answer: Partial<AnsweringMachineState>, due = true) =>
      machineAsksToWait(machine({ answeringMachine: answer, userTurn: { finals: [text], complete: due } }).context);
    expect(toldTo('Please hold.', { type: 'call_screening' })).toBe(true);
    expect(toldTo('Please hold.', { type: 'ivr' })).toBe(true);
    expect(toldTo('Please hold.', { type: 'ivr' }, false)).toBe(false);
    expect(toldTo('Please hold.', { type: 'human' })).toBe(false);
    expect(toldTo('Who is calling?', { type: 'call_screening' })).toBe(false);
    expect(toldTo('Please hold, or press one for sales.', { type: 'ivr' })).toBe(false);
  });

  it('and is waited for as long', () => {
    const step = machine({
      answeringMachine: { type: 'call_screening' },
      userTurn: { finals: ['Please hold.'], complete: true },
    });
    waitForCallee(step);
    expect(step.context.presence.pausedUntilUs).toBe(70_000_000);
    expect(step.context.history).toMatchObject([{ type: 'user', text: 'Please hold.' }]);
  });
});

describe('the model that calls it a voicemail', () => {
  const called = (answer: Partial<AnsweringMachineState>, direction: 'inbound' | 'outbound' = 'outbound') => {
    const step = machine({
      answeringMachine: { speech: 'none', ...answer },
      context: { parameters: { ...CALL_PARAMETERS, direction } },
    });
    return { step, when: requestVoicemailMessage(step) };
  };

  it('leaves its message at once where the greeting was listened to', () => {
    const { step, when } = called({ greetingHeard: true });
    expect([when, issuedCommands(step)]).toEqual(['now', []]);
  });

  it('leaves it later else: once the machine has beeped, or is done', () => {
    const waiting = called({});
    expect([waiting.when, tones(waiting.step), waiting.step.context.answeringMachine.speech]).toEqual([
      'later',
      [true],
      'speaking',
    ]);
    expect(called({ beepUs: 9_500_000 }).step.context.answeringMachine.speech).toBe('finished');
  });

  it('settles who answered a call that we placed, where that was not known', () => {
    const types = (type: AnsweringMachineState['type'], direction: 'inbound' | 'outbound') =>
      issuedCommands(called({ type }, direction).step).filter(({ type: order }) => order === 'journal.write').length;
    expect([types('human', 'outbound'), types('voicemail', 'outbound'), types(null, 'inbound')]).toEqual([1, 0, 0]);
    expect(called({ type: 'human' }).step.context.answeringMachine.type).toBe('voicemail');
  });
});
