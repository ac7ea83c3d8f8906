import { describe, expect, it } from 'vitest';
import {
  answerMachine,
  machineAsksToWait,
  machineHasTurn,
  onTone,
  requestVoicemailMessage,
  scheduleMachineEnd,
  speakToSilentMenu,
  startMachineTurn,
  waitForCallee,
  waitForMenu,
} from '../../../engine/answering-machine/machine-turn.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { AnsweringMachineState } from '../../../engine/core/state/answering-machine-slice.ts';
import { DETECTION_OFF } from '../../../engine/core/state/answering-machine-slice.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { speechOf } from '../simulation/speech.ts';

const NOW_MS = 10_000;
const MACHINE_TURN_MS_MAX = 60_000;
const SCREENING_WAIT_MS_MAX = 60_000;
const MESSAGE = 'Please call us back.';
const LEAVE_MESSAGE = { type: 'leave_voicemail_message', name: 'leave_message', filler_sentence: MESSAGE } as const;

interface MachineCase {
  readonly answeringMachine?: Partial<AnsweringMachineState>;
  readonly userTurn?: Partial<UserTurn>;
  readonly agent?: Scenario['agent'];
  readonly context?: Partial<CallContext>;
  readonly event?: CallEvent;
}

/** A step of an outbound call that a voicemail answered; the voicemail has the turn. */
function machineStep({ answeringMachine, userTurn, agent = {}, context, event }: MachineCase = {}): RuleStep {
  const initial = initialContext(agentWith(agent), { ...CALL_PARAMETERS, direction: 'outbound' });
  const voicemail = {
    ...DETECTION_OFF,
    detection: 'provisional',
    type: 'voicemail',
    machineSpeech: 'speaking',
  } as const;
  return ruleStep(
    {
      ...initial,
      answeringMachine: { ...voicemail, ...answeringMachine },
      userTurn: { ...SILENT_USER, ...userTurn },
      ...context,
    },
    NOW_MS,
    event,
  );
}

const AGENT_WITH_MESSAGE = {
  states: [{ name: 'talk', prompt: 'Talk.', tools: [LEAVE_MESSAGE] }],
  initial_state_name: 'talk',
};
/** Started timers with their delays, and stopped timers. */
const timerCommands = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => {
    if (command.type === 'timer.start') return [`${command.timer} ${command.delayMs}`];
    return command.type === 'timer.stop' ? [`${command.timer} stops`] : [];
  });
const toneDetectionChanges = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'tones.listen' ? [command.on] : []));
const toneEvent = (kind: 'beep' | 'sit'): CallEvent => ({
  type: 'media.tone',
  kind,
  frequencyHz: 1_000,
  startMs: 9_000,
  endMs: 9_500,
});

describe('turn of a machine', () => {
  it('lasts until the end of the call is decided', () => {
    expect(machineHasTurn(machineStep().context)).toBe(true);
    expect(machineHasTurn(machineStep({ answeringMachine: { machineSpeech: 'finished' } }).context)).toBe(true);
    expect(machineHasTurn(machineStep({ answeringMachine: { machineSpeech: 'none' } }).context)).toBe(false);
    expect(machineHasTurn(machineStep({ context: { decidedEnd: 'agent_hangup' } }).context)).toBe(false);
  });

  it('drops the reply without a pending response, and has a time limit', () => {
    const step = machineStep({ context: { pendingResponse: true } });
    startReply(step, null);
    startMachineTurn(step);
    expect(step.context).toMatchObject({ reply: null, pendingResponse: false });
    expect(timerCommands(step)).toEqual(
      expect.arrayContaining([
        'endpoint stops',
        'callee_first_word stops',
        `machine_turn_limit ${MACHINE_TURN_MS_MAX}`,
        'machine_silence 1800',
      ]),
    );
  });

  it.each([
    ['pending', 'scheduled'],
    ['scheduled', 'scheduled'],
    ['done', 'done'],
  ] as const)(
    'changes the initial message from %s to %s, for the human who may follow',
    (initialMessage, initialMessageAfter) => {
      const machineTurn = machineStep({ context: { initialMessage } });
      startMachineTurn(machineTurn);
      expect(machineTurn.context.initialMessage).toBe(initialMessageAfter);
      const screeningWait = machineStep({ context: { initialMessage } });
      waitForCallee(screeningWait);
      expect(screeningWait.context.initialMessage).toBe(initialMessageAfter);
    },
  );

  it.each([
    ['voicemail', 1_800],
    ['ivr', 1_200],
    ['call_screening', 800],
    ['human', 1_800],
    ['unknown', 1_800],
    [null, 1_800],
  ] as const)('ends, for the type %s, after %i ms of silence', (type, silenceMs) => {
    const afterSilence = (silentMs: number) => {
      const step = machineStep({ answeringMachine: { type }, userTurn: { endedUs: (NOW_MS - silentMs) * 1000 } });
      scheduleMachineEnd(step);
      return [timerCommands(step), step.context.answeringMachine.machineSpeech];
    };
    expect(afterSilence(500)).toEqual([[`machine_silence ${silenceMs - 500}`], 'speaking']);
    expect(afterSilence(silenceMs - 1)).toEqual([['machine_silence 1'], 'speaking']);
    expect(afterSilence(silenceMs)).toEqual([['machine_silence stops', 'machine_turn_limit stops'], 'finished']);
  });

  it('does not end while the machine speaks, and ends once', () => {
    const speaking = machineStep({ userTurn: { speaking: true, endedUs: 0 } });
    scheduleMachineEnd(speaking);
    expect([timerCommands(speaking), speaking.context.answeringMachine.machineSpeech]).toEqual([
      ['machine_silence stops'],
      'speaking',
    ]);
    const finished = machineStep({ answeringMachine: { machineSpeech: 'finished' }, userTurn: { endedUs: 0 } });
    scheduleMachineEnd(finished);
    expect(issuedCommands(finished)).toEqual([]);
  });
});

describe('tone events', () => {
  it('record the end of a beep, and special information tones (SIT)', () => {
    const beep = machineStep({ event: toneEvent('beep') });
    onTone(beep);
    expect(beep.context.answeringMachine).toMatchObject({
      beepUs: 9_500_000,
      sitHeard: false,
      machineSpeech: 'finished',
    });
    const sit = machineStep({ event: toneEvent('sit') });
    onTone(sit);
    expect(sit.context.answeringMachine).toMatchObject({ beepUs: null, sitHeard: true, machineSpeech: 'speaking' });
  });

  it('do not end the turn of a menu', () => {
    const menu = machineStep({ answeringMachine: { type: 'ivr' }, event: toneEvent('beep') });
    onTone(menu);
    expect(menu.context.answeringMachine.machineSpeech).toBe('speaking');
    const withoutTone = machineStep();
    onTone(withoutTone);
    expect(issuedCommands(withoutTone)).toEqual([]);
  });

  it('repeat a voicemail message that began before the beep, unless the call has ended', () => {
    const textsAfterBeep = (context: Partial<CallContext>, messageBegan = true) => {
      const step = machineStep({
        answeringMachine: { machineSpeech: 'none' },
        agent: AGENT_WITH_MESSAGE,
        context,
        event: toneEvent('beep'),
      });
      if (messageBegan) startReply(step, null);
      onTone(step);
      return spokenTexts(step);
    };
    expect(textsAfterBeep({ decidedEnd: 'voicemail_left' })).toEqual([MESSAGE]);
    expect(textsAfterBeep({ decidedEnd: 'voicemail_left' }, false)).toEqual([]);
    expect(textsAfterBeep({ decidedEnd: 'voicemail_left', endReason: 'caller_hangup' })).toEqual([]);
    expect(textsAfterBeep({ decidedEnd: 'agent_hangup' })).toEqual([]);
    expect(textsAfterBeep({ decidedEnd: null })).toEqual([]);
  });
});

describe('response to a machine', () => {
  it('leaves the voicemail message without interruptions, and ends the call after it', () => {
    for (const type of ['voicemail', null] as const) {
      const step = machineStep({
        answeringMachine: { type, beepUs: 9_500_000 },
        agent: AGENT_WITH_MESSAGE,
        context: { pendingResponse: true },
      });
      answerMachine(step);
      expect(spokenTexts(step)).toEqual([MESSAGE]);
      expect(toneDetectionChanges(step)).toEqual([false]);
      expect(step.context).toMatchObject({
        decidedEnd: 'voicemail_left',
        initialMessage: 'done',
        pendingResponse: false,
        reply: { interruptible: false, turn: { number: 1 } },
        answeringMachine: { machineSpeech: 'none', greetingHeard: true },
      });
      expect(timerCommands(step)).toEqual(
        expect.arrayContaining(['machine_silence stops', 'machine_turn_limit stops']),
      );
    }
  });

  it('keeps tone detection on during a message without a beep before it', () => {
    const step = machineStep({ agent: AGENT_WITH_MESSAGE });
    answerMachine(step);
    expect([spokenTexts(step), toneDetectionChanges(step)]).toEqual([[MESSAGE], []]);
  });

  it('commits the machine’s words as the user turn, or a note of the tone without words', () => {
    const withoutWords = machineStep({ agent: AGENT_WITH_MESSAGE });
    answerMachine(withoutWords);
    expect(withoutWords.context.history[0]).toMatchObject({ type: 'user', text: '[a tone]' });
    expect(withoutWords.context.reply?.turn).toEqual({
      number: 1,
      speechEndedUs: NOW_MS * 1000,
      endedUs: NOW_MS * 1000,
    });
    const withWords = machineStep({
      agent: AGENT_WITH_MESSAGE,
      userTurn: { speech: speechOf({ finals: ['Leave a message.'] }), endedUs: 8_000_000 },
    });
    answerMachine(withWords);
    expect(withWords.context.history[0]).toMatchObject({ type: 'user', text: 'Leave a message.' });
    expect(withWords.context.reply?.turn).toMatchObject({ speechEndedUs: 8_000_000 });
  });

  it.each([
    ['voicemail', /^A voicemail answered/],
    [null, /^A voicemail answered/],
    ['human', /^A voicemail answered/],
    ['ivr', /^An automated menu/],
    ['call_screening', /^Your call is being screened/],
    ['unknown', /^A recorded announcement/],
  ] as const)('asks the model for a machine of type %s, with one note about the machine', (type, note) => {
    const step = machineStep({ answeringMachine: { type, purposeSaid: true } });
    answerMachine(step);
    answerMachine(step);
    expect(step.context.notes).toEqual([expect.stringMatching(note)]);
    expect(step.context).toMatchObject({
      initialMessage: 'done',
      reply: { interruptible: false, requestPending: true },
    });
    expect(spokenTexts(step)).toEqual([]);
  });

  it('asks the model if the voicemail message is empty', () => {
    const emptyMessage = { ...LEAVE_MESSAGE, filler_sentence: '{{nothing}}' };
    const step = machineStep({
      agent: { ...AGENT_WITH_MESSAGE, states: [{ name: 'talk', prompt: 'Talk.', tools: [emptyMessage] }] },
    });
    answerMachine(step);
    expect([spokenTexts(step), step.context.decidedEnd, step.context.reply?.requestPending]).toEqual([[], null, true]);
  });
});

describe('response to a call screening', () => {
  const screeningStep = (agent: Scenario['agent'], answeringMachine: Partial<AnsweringMachineState> = {}) => {
    const step = machineStep({ agent, answeringMachine: { type: 'call_screening', ...answeringMachine } });
    answerMachine(step);
    return step;
  };

  it('states the purpose once, and the initial message waits a minute for the callee', () => {
    const step = screeningStep({ initial_message: 'Hello there.', call_purpose: 'About your order.' });
    expect(spokenTexts(step)).toEqual(['About your order.']);
    expect(step.context).toMatchObject({
      initialMessage: 'scheduled',
      answeringMachine: { purposeSaid: true },
      reply: { interruptible: false },
      presence: { checks: 0, pausedUntilUs: (NOW_MS + SCREENING_WAIT_MS_MAX) * 1000, waitingSinceUs: null },
    });
    expect(timerCommands(step)).toContain(`screening_wait ${SCREENING_WAIT_MS_MAX}`);
    expect(spokenTexts(screeningStep({ call_purpose: 'About your order.' }, { purposeSaid: true }))).toEqual([]);
  });

  it('says the initial message without a purpose, and waits only for an initial message', () => {
    expect(spokenTexts(screeningStep({ initial_message: 'Hello there.' }))).toEqual(['Hello there.']);
    expect(spokenTexts(screeningStep({ initial_message: 'Hello there.', call_purpose: '{{nothing}}' }))).toEqual([
      'Hello there.',
    ]);
    const step = screeningStep({ initial_message: '', call_purpose: 'About your order.' });
    expect(step.context.initialMessage).toBe('done');
    expect(timerCommands(step).filter((timer) => timer.startsWith('screening_wait'))).toEqual([]);
  });

  it('says nothing when the screening or a menu asks to wait', () => {
    const asksToWait = (text: string, answeringMachine: Partial<AnsweringMachineState>, complete = true) =>
      machineAsksToWait(
        machineStep({ answeringMachine, userTurn: { speech: speechOf({ finals: [text] }), complete } }).context,
      );
    expect(asksToWait('Please hold.', { type: 'call_screening' })).toBe(true);
    expect(asksToWait('Please hold.', { type: 'ivr' })).toBe(true);
    expect(asksToWait('Please hold.', { type: 'ivr' }, false)).toBe(false);
    expect(asksToWait('Please hold.', { type: 'human' })).toBe(false);
    expect(asksToWait('Who is calling?', { type: 'call_screening' })).toBe(false);
    expect(asksToWait('Please hold, or press one for sales.', { type: 'ivr' })).toBe(false);
  });

  it('waits a minute for the callee after a request to wait', () => {
    const step = machineStep({
      answeringMachine: { type: 'call_screening' },
      userTurn: { speech: speechOf({ finals: ['Please hold.'] }), complete: true },
    });
    waitForCallee(step);
    expect(step.context.presence.pausedUntilUs).toBe((NOW_MS + SCREENING_WAIT_MS_MAX) * 1000);
    expect(step.context.history).toMatchObject([{ type: 'user', text: 'Please hold.' }]);
  });
});

describe('voicemail message that the model requests', () => {
  const requestStep = (
    answeringMachine: Partial<AnsweringMachineState>,
    direction: 'inbound' | 'outbound' = 'outbound',
  ) => {
    const step = machineStep({
      answeringMachine: { machineSpeech: 'none', ...answeringMachine },
      context: { parameters: { ...CALL_PARAMETERS, direction } },
    });
    return { step, when: requestVoicemailMessage(step) };
  };

  it('comes at once after the greeting', () => {
    const { step, when } = requestStep({ greetingHeard: true });
    expect([when, issuedCommands(step)]).toEqual(['now', []]);
  });

  it('comes after the machine’s beep or turn, if the greeting was not heard', () => {
    const beforeGreetingEnd = requestStep({});
    expect([
      beforeGreetingEnd.when,
      toneDetectionChanges(beforeGreetingEnd.step),
      beforeGreetingEnd.step.context.answeringMachine.machineSpeech,
    ]).toEqual(['later', [true], 'speaking']);
    expect(requestStep({ beepUs: 9_500_000 }).step.context.answeringMachine.machineSpeech).toBe('finished');
  });

  it('changes the answer type of an outbound call to voicemail', () => {
    const reportedTypes = (type: AnsweringMachineState['type'], direction: 'inbound' | 'outbound') =>
      issuedCommands(requestStep({ type }, direction).step).filter((command) => command.type === 'journal.write')
        .length;
    expect([
      reportedTypes('human', 'outbound'),
      reportedTypes('voicemail', 'outbound'),
      reportedTypes(null, 'inbound'),
    ]).toEqual([1, 0, 0]);
    expect(requestStep({ type: 'human' }).step.context.answeringMachine.type).toBe('voicemail');
  });
});

describe('a menu that digits were sent to', () => {
  const MENU_WAIT_MS = 5_000;
  const TURN = 4;
  const waiting = (answeringMachine: Partial<AnsweringMachineState> = {}, context: Partial<CallContext> = {}) => {
    const { counters } = ruleStep().context;
    const menu = { type: 'ivr', machineSpeech: 'none', digitsSentAfterTurn: TURN, ...answeringMachine } as const;
    return machineStep({ answeringMachine: menu, context: { counters: { ...counters, turn: TURN }, ...context } });
  };
  const isAsked = (step: RuleStep) => {
    speakToSilentMenu(step);
    expect(step.context.answeringMachine.digitsSentAfterTurn).toBeNull();
    return step.context.pendingResponse;
  };

  it('is listened to in silence for a time', () => {
    const step = waiting({ digitsSentAfterTurn: null }, { pendingResponse: true });
    waitForMenu(step);
    expect(step.context).toMatchObject({ pendingResponse: false, answeringMachine: { digitsSentAfterTurn: TURN } });
    expect(timerCommands(step)).toEqual([`menu_wait ${MENU_WAIT_MS}`]);
  });

  it('is spoken to if it says nothing', () => {
    expect(isAsked(waiting())).toBe(true);
  });

  it('is not spoken to while it speaks, behind another turn, during a reply, or when the end is decided', () => {
    expect(isAsked(waiting({ machineSpeech: 'speaking' }))).toBe(false);
    expect(isAsked(waiting({ digitsSentAfterTurn: TURN - 1 }))).toBe(false);
    expect(isAsked(waiting({}, { decidedEnd: 'agent_hangup' }))).toBe(false);
    const replying = waiting();
    startReply(replying, null);
    expect(isAsked(replying)).toBe(false);
  });
});
