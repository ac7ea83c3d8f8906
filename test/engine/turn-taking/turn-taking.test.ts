import { describe, expect, it } from 'vitest';
import { CLASSIFICATION_MS_MAX } from '../../../engine/answering-machine/classification.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { INITIAL_ANSWERING_MACHINE } from '../../../engine/core/state/answering-machine-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import {
  isResponsePending,
  makeInitialMessagePending,
  sayInitialMessage,
  sayInitialMessageToSilentCallee,
  startConversation,
  userHasTurn,
} from '../../../engine/turn-taking/turn-taking.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep, spokenTexts } from '../simulation/rule-step.ts';

const MESSAGE = 'Hello there.';
const ANNOUNCEMENT = 'This call is recorded.';
/** A sound without words delays the initial message of an outbound call until this long after its start. */
const WORDLESS_MS_MAX = 2_000;
/** The initial message waits this long for another reply. */
const RETRY_MS = 500;
const OUTBOUND = { ...CALL_PARAMETERS, direction: 'outbound' as const };
const DIGITS = { type: 'digits' as const, digits: '1', startUs: 0, endUs: 0, activityEndedUs: null };

function stepWith(changes: Partial<CallContext>, atMs = 1_000): RuleStep {
  return ruleStep({ agent: agentWith({ initial_message: MESSAGE }), initialMessage: 'scheduled', ...changes }, atMs);
}
const userWith = (changes: Partial<CallContext['userTurn']>) => ({ ...ruleStep().context.userTurn, ...changes });
const speechOf = (text: string) =>
  revise(NO_SPEECH, { text, startMs: 0, endMs: 900, words: [], isFinal: true }, { activityStartMs: 0, wordErrorMs: 0 });
const timers = (step: RuleStep) =>
  step.commands.flatMap((command) => (command.type === 'timer.start' ? [[command.timer, command.delayMs]] : []));

describe('the user has the turn', () => {
  const hasTurn = (changes: Partial<CallContext['userTurn']>) =>
    userHasTurn(ruleStep({ userTurn: userWith(changes) }).context);

  it('while they speak, may have spoken, or have words that are not answered', () => {
    expect(hasTurn({ speaking: true })).toBe(true);
    expect(hasTurn({ startedUs: 0 })).toBe(true);
    expect(hasTurn({ speech: speechOf('Yes.') })).toBe(true);
    expect(hasTurn({})).toBe(false);
  });
});

describe('a pending response', () => {
  const isPending = (changes: Partial<CallContext>) => isResponsePending(ruleStep(changes).context);
  const pendingResponse = true;
  const { dtmf } = ruleStep().context;

  it('waits for tools and for digits', () => {
    const runningTools = [{ toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 }];
    expect(isPending({ pendingResponse })).toBe(true);
    expect(isPending({})).toBe(false);
    expect(isPending({ pendingResponse, runningTools })).toBe(false);
    expect(isPending({ pendingResponse, dtmf: { ...dtmf, openEntry: DIGITS } })).toBe(false);
  });
});

describe('the initial message of an inbound call', () => {
  const started = (agent: Parameters<typeof agentWith>[0], changes: Partial<CallContext> = {}) => {
    const step = stepWith({ agent: agentWith({ initial_message: MESSAGE, ...agent }), ...changes });
    startConversation(step);
    return step;
  };

  it('is said at once, or after its delay', () => {
    expect(spokenTexts(started({}))).toEqual([MESSAGE]);
    const delayed = started({ initial_message_delay: 2 });
    expect(spokenTexts(delayed)).toEqual([]);
    expect(timers(delayed)).toEqual([['initial_message', 2_000]]);
  });

  it('is not said twice, and not at the begin of an outbound call', () => {
    expect(started({}, { initialMessage: 'done' }).commands).toEqual([]);
    expect(started({}, { parameters: OUTBOUND }).commands).toEqual([]);
  });

  it('becomes due only if it was not said yet', () => {
    const stateAfter = (initialMessage: CallContext['initialMessage']) => {
      const step = stepWith({ initialMessage });
      makeInitialMessagePending(step);
      return step.context.initialMessage;
    };
    expect(stateAfter('scheduled')).toBe('pending');
    expect(stateAfter('done')).toBe('done');
  });

  it('is said afterwards if no word of it was heard', () => {
    const { reply } = started({}).context;
    const items = [...new Set(reply?.segments.map(({ item }) => item))];
    expect(items).toHaveLength(1);
    expect(reply?.keptTexts).toEqual(items.map((item) => ({ item, text: 'initial_message' })));
  });
});

describe('the announcement of the recording', () => {
  const said = (changes: Partial<CallContext> = {}, interruptible = true) => {
    const agent = agentWith({
      initial_message: MESSAGE,
      initial_message_interruptible: interruptible,
      recording_consent: { announcement: ANNOUNCEMENT },
    });
    const step = stepWith({ agent, ...changes });
    sayInitialMessage(step);
    return step;
  };
  const { consent } = ruleStep().context;

  it('is said in front of the initial message, and heard to its end', () => {
    const step = said();
    expect(spokenTexts(step)).toEqual([ANNOUNCEMENT, MESSAGE]);
    const { reply } = step.context;
    expect(reply?.segments.map(({ interruptible }) => interruptible)).toEqual([false, true]);
    expect(step.context.consent.announcedBy).toBe(reply?.segments[0]?.item);
  });

  it('leaves the initial message as uninterruptible as the agent’s configuration says', () => {
    const { reply } = said({}, false).context;
    expect(reply?.interruptible).toBe(true);
    expect(reply?.segments.map(({ interruptible }) => interruptible)).toEqual([false, false]);
  });

  it('is not repeated to a user who has heard it, or has answered it', () => {
    expect(spokenTexts(said({ consent: { ...consent, isHeard: true } }))).toEqual([MESSAGE]);
    expect(spokenTexts(said({ consent: { ...consent, answer: 'refused' } }))).toEqual([MESSAGE]);
  });
});

describe('a callee who says nothing', () => {
  const silence = (changes: Partial<CallContext>, atMs?: number) => {
    const step = stepWith({ parameters: OUTBOUND, ...changes }, atMs);
    sayInitialMessageToSilentCallee(step);
    return step;
  };

  it('hears the initial message once', () => {
    expect(spokenTexts(silence({}))).toEqual([MESSAGE]);
    expect(silence({ initialMessage: 'done' }).commands).toEqual([]);
  });

  it('hears nothing while a machine speaks', () => {
    const { answeringMachine } = INITIAL_ANSWERING_MACHINE;
    const step = silence({ answeringMachine: { ...answeringMachine, machineSpeech: 'speaking' } });
    expect(step.commands).toEqual([]);
    expect(step.context.initialMessage).toBe('scheduled');
  });

  it('hears it in the answer to words that are arriving', () => {
    const step = silence({ userTurn: userWith({ speech: speechOf('Yes?'), startedUs: 0, speaking: true }) });
    expect(step.commands).toEqual([]);
    expect(step.context.initialMessage).toBe('pending');
  });

  it('hears it after another reply', () => {
    const replying = ruleStep();
    startReply(replying, null);
    const step = silence({ reply: replying.context.reply });
    expect(spokenTexts(step)).toEqual([]);
    expect(timers(step)).toEqual([['callee_first_word', RETRY_MS]]);
  });

  describe('in lasting noise', () => {
    const FIRST_MS = 1_000;
    const inNoise = (atMs: number, changes: Partial<CallContext> = {}) =>
      silence({ userTurn: userWith({ speaking: true, startedUs: FIRST_MS * 1000 }), ...changes }, atMs);

    it('hears it this long after the start of the noise, and not earlier', () => {
      const step = inNoise(FIRST_MS + 500);
      expect(spokenTexts(step)).toEqual([]);
      expect(timers(step)).toEqual([['callee_first_word', WORDLESS_MS_MAX - 500]]);
      expect(step.context.initialMessage).toBe('pending');
      const due = inNoise(FIRST_MS + WORDLESS_MS_MAX);
      expect(spokenTexts(due)).toEqual([MESSAGE]);
      expect(due.context.userTurn.startedUs).toBeNull();
    });

    it('that goes on and on hears it at the end of the classification at the latest', () => {
      const startedUs = (CLASSIFICATION_MS_MAX - 300) * 1000;
      const userTurn = userWith({ speaking: true, startedUs });
      const step = silence({ userTurn }, CLASSIFICATION_MS_MAX - 200);
      expect(timers(step)).toEqual([['callee_first_word', 200]]);
      expect(spokenTexts(silence({ userTurn }, CLASSIFICATION_MS_MAX))).toEqual([MESSAGE]);
    });
  });
});
