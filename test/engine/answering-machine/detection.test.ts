import { describe, expect, it } from 'vitest';
import { CLASSIFICATION_MS_MAX, SHORT_GREETING_MS_MAX } from '../../../engine/answering-machine/classification.ts';
import {
  classifyEndedTurn,
  recordAnswerType,
  startDetection,
  stopCorrections,
  updateDetection,
} from '../../../engine/answering-machine/detection.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { AnsweringMachineState } from '../../../engine/core/state/answering-machine-slice.ts';
import { DETECTION_OFF } from '../../../engine/core/state/answering-machine-slice.ts';
import type { FinishedReply, Reply } from '../../../engine/core/state/playout-slice.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, addUserText, changeAgentItem } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

/** No human greets for this long without a pause. */
const MONOLOGUE_MS_MIN = 7_000;
const OUTBOUND = { ...CALL_PARAMETERS, direction: 'outbound' as const };
const MENU_TEXT = 'For sales, press 1.';
const SCREENING_TEXT = 'Please state your name.';
const ANNOUNCEMENT_TEXT = 'The number is not in service.';
const VOICEMAIL_TEXT = 'Please leave a message after the tone.';

/** A step of an outbound call that was answered at 0, while the detection decides. */
function detectionStep(
  answeringMachine: Partial<AnsweringMachineState>,
  userTurn: Partial<UserTurn> = {},
  contextChanges: Partial<CallContext> = {},
  atMs = 3_000,
) {
  return ruleStep(
    {
      parameters: OUTBOUND,
      answeringMachine: { ...DETECTION_OFF, detection: 'deciding', ...answeringMachine },
      userTurn: { ...SILENT_USER, ...userTurn },
      ...contextChanges,
    },
    atMs,
  );
}

/** The open turn of the party that answered. */
function turnWith(text: string, fromMs = 500, toMs = 2_000): Partial<UserTurn> {
  return { speech: speechOf({ finals: [text] }), startedUs: fromMs * 1000, endedUs: toMs * 1000 };
}

describe('start of the detection', () => {
  it('turns tone detection on and starts the time limits', () => {
    const step = ruleStep({
      parameters: OUTBOUND,
      agent: agentWith({ initial_message: 'Hello.' }),
      initialMessage: 'scheduled',
    });
    startDetection(step);
    expect(issuedCommands(step)).toEqual([
      { type: 'tones.listen', on: true },
      { type: 'timer.start', timer: 'answering_machine_detection', delayMs: CLASSIFICATION_MS_MAX },
      { type: 'timer.start', timer: 'answering_machine_correction', delayMs: 15_000 },
      { type: 'timer.start', timer: 'callee_first_word', delayMs: 1_000 },
    ]);
    expect(step.context.answeringMachine).toEqual({ ...DETECTION_OFF, detection: 'deciding' });
  });

  it.each([
    [0, 1_000],
    [1, 1_000],
    [2, 2_000],
    [5, 5_000],
  ])('gives a message with a delay of %s s a timer of %s ms for the callee’s first word', (delay, delayMs) => {
    const agent = agentWith({ initial_message: 'Hello.', initial_message_delay: delay });
    const step = ruleStep({ parameters: OUTBOUND, agent, initialMessage: 'scheduled' });
    startDetection(step);
    expect(issuedCommands(step).at(-1)).toEqual({ type: 'timer.start', timer: 'callee_first_word', delayMs });
  });

  it('does not wait for a first word without an initial message, and ignores inbound calls', () => {
    const withoutGreeting = ruleStep({ parameters: OUTBOUND, initialMessage: 'done' });
    startDetection(withoutGreeting);
    expect(
      issuedCommands(withoutGreeting).map((command) => (command.type === 'timer.start' ? command.timer : command.type)),
    ).toEqual(['tones.listen', 'answering_machine_detection', 'answering_machine_correction']);
    const inbound = ruleStep({ parameters: CALL_PARAMETERS, initialMessage: 'scheduled' });
    startDetection(inbound);
    expect(inbound.commands).toEqual([]);
    expect(inbound.context.answeringMachine.detection).toBe('off');
  });
});

describe('end of the corrections', () => {
  it.each([
    ['human', 'none', true],
    ['unknown', 'none', true],
    ['voicemail', 'none', true],
    [null, 'none', true],
    ['ivr', 'none', false],
    ['call_screening', 'none', false],
    ['human', 'speaking', false],
    ['unknown', 'finished', false],
  ] as const)('for type %s and speech %s turns the detection off: %s', (type, machineSpeech, ends) => {
    const step = detectionStep({ type, machineSpeech });
    stopCorrections(step);
    expect(step.context.answeringMachine.detection).toBe(ends ? 'off' : 'deciding');
    expect(issuedCommands(step)).toEqual(ends ? [{ type: 'tones.listen', on: false }] : []);
  });
});

describe('classification of a party', () => {
  it('reports the type once, with its reason, and stops the timer', () => {
    const step = detectionStep({}, turnWith('Hello?', 500, 900));
    classifyEndedTurn(step);
    expect(step.commands).toEqual([
      { type: 'timer.stop', timer: 'answering_machine_detection' },
      {
        type: 'log',
        notice: { type: 'answer_type_detected', answerType: 'human', reason: 'a short greeting' },
      },
      { type: 'journal.write', entry: { type: 'answer_type', answerType: 'human', atUs: 3_000_000 } },
    ]);
    expect(step.context.answeringMachine).toMatchObject({
      detection: 'provisional',
      type: 'human',
      corrected: false,
      machineSpeech: 'none',
    });
    step.commands.length = 0;
    classifyEndedTurn(step);
    expect(step.commands).toEqual([]);
  });

  it('decides nothing while the detection is off', () => {
    const step = detectionStep({ detection: 'off' }, turnWith(VOICEMAIL_TEXT));
    updateDetection(step);
    expect(step.commands).toEqual([]);
    expect(step.context.answeringMachine.type).toBeNull();
  });

  it.each([
    [SHORT_GREETING_MS_MAX, 'human'],
    [SHORT_GREETING_MS_MAX + 1, 'unknown'],
  ])('takes a greeting of %s ms for %s', (ms, type) => {
    const step = detectionStep({}, turnWith('Hello, who is there?', 700, 700 + ms), {}, 9_000);
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe(type);
  });

  it('measures a turn that has not ended up to the current time', () => {
    const speaking = { ...turnWith('We are out and about', 500, 1_000), speaking: true };
    const before = detectionStep({}, speaking, {}, 500 + MONOLOGUE_MS_MIN);
    updateDetection(before);
    expect(before.context.answeringMachine.type).toBe('unknown');
    const after = detectionStep({}, speaking, {}, 500 + MONOLOGUE_MS_MIN + 1);
    updateDetection(after);
    expect(after.context.answeringMachine).toMatchObject({ type: 'voicemail', machineSpeech: 'speaking' });
  });

  it.each([
    [CLASSIFICATION_MS_MAX - 1, null],
    [CLASSIFICATION_MS_MAX, 'unknown'],
  ])('without evidence gives, %s ms after the answer, the type %s', (atMs, type) => {
    const step = detectionStep({}, {}, {}, atMs + 250);
    step.change({ answeredUs: 250_000 });
    updateDetection(step);
    expect(step.context.answeringMachine.type).toBe(type);
  });

  it('finds a phrase that two turns share', () => {
    const step = detectionStep({}, turnWith('message now.', 3_500, 4_000));
    addUserText(step, 'Please record your');
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe('voicemail');
  });

  it('ignores the agent’s own words', () => {
    const step = detectionStep({}, turnWith('Yes.', 2_500, 2_700));
    changeAgentItem(step, addAgentItem(step), { text: 'Shall I leave a message after the tone?' });
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe('human');
  });

  it('takes a long turn for `human` if it follows speech of the agent that was heard', () => {
    for (const isHeard of [true, false]) {
      const step = detectionStep({}, turnWith('Oh how good that you call, we have waited', 500, 4_000), {}, 4_500);
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

describe('correction', () => {
  const absenceText = 'He is not here, leave him a message';

  it.each([
    ['unknown', false, 'Hello?', 'human'],
    ['human', false, VOICEMAIL_TEXT, 'voicemail'],
    ['human', false, MENU_TEXT, 'ivr'],
    ['human', false, SCREENING_TEXT, 'call_screening'],
    ['human', false, ANNOUNCEMENT_TEXT, 'human'],
    ['human', true, VOICEMAIL_TEXT, 'human'],
    ['ivr', false, VOICEMAIL_TEXT, 'voicemail'],
    ['ivr', true, VOICEMAIL_TEXT, 'ivr'],
    ['call_screening', false, VOICEMAIL_TEXT, 'voicemail'],
    ['voicemail', false, 'Hello?', 'voicemail'],
    ['ivr', false, 'Hello?', 'ivr'],
  ] as const)('changes %s (corrected before: %s) after «%s» to %s', (type, corrected, text, newType) => {
    const step = detectionStep({ detection: 'provisional', type, corrected }, turnWith(text));
    classifyEndedTurn(step);
    expect(step.context.answeringMachine.type).toBe(newType);
    const wasKnown = type !== 'unknown';
    expect(step.context.answeringMachine.corrected).toBe(corrected || (newType !== type && wasKnown));
  });

  it.each([
    [SHORT_GREETING_MS_MAX, 'human'],
    [SHORT_GREETING_MS_MAX + 1, 'voicemail'],
  ])('changes `human`, after words of absence in a turn of %s ms, to %s', (ms, newType) => {
    const step = detectionStep(
      { detection: 'provisional', type: 'human' },
      turnWith(absenceText, 500, 500 + ms),
      {},
      9_000,
    );
    updateDetection(step);
    expect(step.context.answeringMachine.type).toBe(newType);
  });

  it.each([
    [2, 'voicemail'],
    [3, 'human'],
  ])('changes `human`, after a beep in turn %s, to %s', (turn, newType) => {
    const step = detectionStep({ detection: 'provisional', type: 'human', beepUs: 2_900_000 });
    step.change({ counters: { ...step.context.counters, turn } });
    updateDetection(step);
    expect(step.context.answeringMachine.type).toBe(newType);
    expect(step.context.answeringMachine.machineSpeech).toBe(newType === 'voicemail' ? 'finished' : 'none');
  });
});

describe('a receptionist who asks for the reason of the call', () => {
  const ENTRY = { sequence: 1, startUs: 1 };
  const FINISHED: FinishedReply = {
    endedUs: 2_000_000,
    lastStartedUs: 1_000_000,
    heardUntilUs: 2_000_000,
    isGreeting: false,
    questions: [],
  };
  type Item = 'user' | 'heard' | 'unheard';
  /** The type after the question, when these items came before it. */
  const typeAfter = (items: readonly Item[], lastFinishedReply: FinishedReply | null = FINISHED) => {
    const step = detectionStep({ detection: 'provisional', type: 'human' }, turnWith(SCREENING_TEXT), {
      lastFinishedReply,
    });
    for (const item of items) {
      if (item === 'user') addUserText(step, 'Hello?');
      else changeAgentItem(step, addAgentItem(step), { text: 'Hello.', entry: item === 'heard' ? ENTRY : null });
    }
    classifyEndedTurn(step);
    return step.context.answeringMachine.type;
  };

  it('is a person once an answer was heard to its end', () => {
    expect(typeAfter(['user', 'heard'])).toBe('human');
    expect(typeAfter(['user', 'heard'], null)).toBe('call_screening');
  });

  it.each<[string, readonly Item[]]>([
    ['answered nothing yet', ['user']],
    ['spoke before the callee', ['heard', 'user']],
    ['alone spoke', ['heard']],
    ['was not heard', ['user', 'unheard']],
    ['was asked twice', ['user', 'user']],
  ])('may be a screening while the agent %s', (_case, items) => {
    expect(typeAfter(items)).toBe('call_screening');
  });
});

describe('a turn behind a menu, without words of a machine', () => {
  const isPersonLikely = (
    answeringMachine: Partial<AnsweringMachineState>,
    text = 'Good morning, Miller speaking.',
  ) => {
    const step = detectionStep({ detection: 'provisional', greetingHeard: true, ...answeringMachine }, turnWith(text));
    classifyEndedTurn(step);
    return step.context.answeringMachine.isPersonLikely;
  };

  it('is probably a person’s, unless it asks to wait', () => {
    expect(isPersonLikely({ type: 'ivr' })).toBe(true);
    expect(isPersonLikely({ type: 'ivr' }, 'Please hold the line.')).toBe(false);
  });

  it('is no sign of a person during the menu, or behind another machine', () => {
    expect(isPersonLikely({ type: 'ivr', greetingHeard: false })).toBe(false);
    expect(isPersonLikely({ type: 'voicemail' })).toBe(false);
    expect(isPersonLikely({ type: 'call_screening' })).toBe(false);
  });
});

describe('turn of the machine', () => {
  const speechAfter = (
    answeringMachine: Partial<AnsweringMachineState>,
    text: string,
    contextChanges: Partial<CallContext> = {},
  ) => {
    const step = detectionStep(answeringMachine, turnWith(text), contextChanges);
    updateDetection(step);
    return step.context.answeringMachine.machineSpeech;
  };

  it.each([
    [{ type: null }, MENU_TEXT, 'speaking'],
    [{ type: null, machineSpeech: 'finished' as const }, MENU_TEXT, 'finished'],
    // Another message of the same party.
    [{ type: 'ivr' as const, greetingHeard: true }, MENU_TEXT, 'speaking'],
    [{ type: 'call_screening' as const, greetingHeard: true }, SCREENING_TEXT, 'speaking'],
    [{ type: 'unknown' as const }, ANNOUNCEMENT_TEXT, 'speaking'],
    [{ type: 'unknown' as const, greetingHeard: true }, ANNOUNCEMENT_TEXT, 'none'],
    [{ type: 'voicemail' as const, greetingHeard: true }, VOICEMAIL_TEXT, 'none'],
    [{ type: 'ivr' as const }, 'Hello?', 'none'],
  ])('for %j and «%s» has the state %s', (answeringMachine, text, speech) => {
    expect(speechAfter(answeringMachine, text)).toBe(speech);
  });

  it('does not begin when the call is ending or the reply ends it', () => {
    expect(speechAfter({}, MENU_TEXT, { decidedEnd: 'llm_error' })).toBe('none');
    const speechDuringReply = (followUp: Reply['followUp']) => {
      const step = detectionStep({}, turnWith(MENU_TEXT));
      startReply(step, null);
      const { reply } = step.context;
      if (reply !== null) step.change({ reply: { ...reply, followUp } });
      updateDetection(step);
      return step.context.answeringMachine.machineSpeech;
    };
    const result = { call: { id: 'x', name: 'bye' }, sequence: 1, startUs: 0 };
    expect(speechDuringReply({ type: 'listen' })).toBe('speaking');
    expect(speechDuringReply({ type: 'end', reason: 'agent_hangup', result })).toBe('none');
  });

  it('does not begin with the next part of a menu while the agent responds to the last one', () => {
    const step = detectionStep({ type: 'ivr', greetingHeard: true }, turnWith(MENU_TEXT));
    startReply(step, null);
    updateDetection(step);
    expect(step.context.answeringMachine.machineSpeech).toBe('none');
  });
});

it('an answer type from the model is reported like a detected one', () => {
  const step = detectionStep({ type: 'human', detection: 'provisional' });
  recordAnswerType(step, 'voicemail', 'the model');
  expect(step.commands).toContainEqual({
    type: 'log',
    notice: { type: 'answer_type_detected', answerType: 'voicemail', reason: 'the model' },
  });
  expect(step.context.answeringMachine).toMatchObject({ type: 'voicemail', corrected: true, detection: 'provisional' });
});
