import { CLASSIFICATION_MS_MAX } from '../answering-machine/classification.ts';
import { classifyEndedTurn } from '../answering-machine/detection.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { CommittedTurn } from '../core/state/turn-detection-slice.ts';
import { askModel } from '../generation/ask-model.ts';
import { languagePack } from '../languages/language-packs.ts';
import { areOpeningWords } from '../languages/opening-words.ts';
import { changeReply, requestGeneration, say, startReply } from '../playout/reply.ts';
import { askForConsent, endRefusedCall, judgeSpokenConsent } from '../recording/recording-consent.ts';
import { userTurnLanguage, userTurnText, userTurnWords } from '../transcript/user-turn-text.ts';
import { commitTurn, userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { discardNoise } from '../turn-detection/user-turn.ts';
import { requestExtraction } from '../variable-extraction/variable-extraction.ts';
import { fillVariables } from '../variables/variables.ts';

/** The user speaks, or has uncommitted words, or words for a sound may still arrive. */
export function userHasTurn({ userTurn }: CallContext): boolean {
  return userTurn.speaking || userTurn.startedUs !== null || userTurnText(userTurn) !== '';
}

/** The user's turn has ended: starts the reply. */
export function answerUserTurn(step: RuleStep): void {
  classifyEndedTurn(step);
  judgeSpokenConsent(step);
  const { dtmf, initialMessage, userTurn } = step.context;
  if (initialMessage === 'done' && dtmf.entries.length === 0 && !userTurn.overMonologueLimit) {
    askModel(step, 'ended');
    requestExtraction(step);
  } else answerCommittedTurn(step);
}

/** The answer does not depend on further words of the user. */
function answerCommittedTurn(step: RuleStep): void {
  const { overMonologueLimit } = step.context.userTurn;
  const isGreetingEnough = isAnsweredByGreeting(step.context);
  const turn = commitTurn(step);
  requestExtraction(step);
  if (answerWithInitialMessage(step, turn)) {
    step.change({ pendingResponse: !isGreetingEnough });
    return;
  }
  // A user who continues to speak does not interrupt the answer to a monologue.
  startReply(step, turn, !overMonologueLimit);
  requestGeneration(step);
}

/** The first words of a user who was called only answer the phone. A user who calls may say why, and digits choose. */
function isAnsweredByGreeting(context: CallContext): boolean {
  if (context.dtmf.entries.length > 0) return false;
  if (context.parameters.direction === 'outbound') return true;
  return areOpeningWords(userTurnWords(context.userTurn), languagePack(userTurnLanguage(context)));
}

/** Answers the first turn with the initial message if it was not said yet; false otherwise. */
export function answerWithInitialMessage(step: RuleStep, turn: CommittedTurn): boolean {
  if (step.context.initialMessage === 'done') return false;
  const { initial_message, recording_consent } = step.context.agent;
  if (recording_consent !== undefined || fillVariables(step, initial_message) !== '') {
    sayInitialMessage(step, turn);
    return true;
  }
  // The initial message is empty once filled in: the model answers.
  step.change({ initialMessage: 'done' });
  step.stopTimer('initial_message');
  return false;
}

/**
 * A tool result arrived after its turn was over, or noise interrupted a reply: the model continues without a user turn.
 */
export function answerPendingResponse(step: RuleStep): void {
  step.change({ pendingResponse: false });
  endRefusedCall(step);
  startReply(step, null);
  requestGeneration(step);
}

/**
 * The initial message is always said: after its delay, or before the model's first answer if the user speaks first. It replaces
 * that answer if the user's words need none.
 */
export function sayInitialMessage(step: RuleStep, turn: CommittedTurn | null = null): void {
  const { agent } = step.context;
  step.change({ initialMessage: 'done' });
  step.stopTimer('initial_message');
  startReply(step, turn, agent.recording_consent !== undefined || agent.initial_message_interruptible);
  announceRecording(step);
  // A greeting without its name is better than none.
  say(step, agent.initial_message, undefined, agent.initial_message_interruptible, true);
  const items = new Set(step.context.reply?.segments.map((segment) => segment.item));
  changeReply(step, { keptTexts: [...items].map((item) => ({ item, text: 'initial_message' as const })) });
}

/** Said in front of the initial message, in the same reply. */
function announceRecording(step: RuleStep): void {
  const { consent, agent } = step.context;
  if (agent.recording_consent === undefined || consent.isHeard || consent.answer !== 'not_asked') return;
  say(step, agent.recording_consent.announcement, undefined, false, true);
  const last = step.context.reply?.segments.at(-1);
  if (last !== undefined) askForConsent(step, last.item);
}

export function startConversation(step: RuleStep): void {
  const { agent, parameters, initialMessage } = step.context;
  // The callee of an outbound call speaks first: see `greetSilentCallee`.
  if (initialMessage === 'done' || parameters.direction === 'outbound') return;
  if (agent.initial_message_delay > 0) step.startTimer('initial_message', agent.initial_message_delay * 1000);
  else sayInitialMessage(step);
}

/**
 * A sound without words delays the initial message of an outbound call until this long after the start of the sound:
 * words would be known by then. Repeated sounds delay it until `CLASSIFICATION_MS_MAX` at the latest.
 */
const WORDLESS_MS_MAX = 2_000;
/** The initial message waits this long for another reply to end, and then tries again. */
const INITIAL_MESSAGE_RETRY_MS = 500;

/**
 * The callee has said nothing in time: the initial message is said. If words are arriving, it answers their turn
 * instead. A sound without words counts as noise after `WORDLESS_MS_MAX`.
 */
export function sayInitialMessageToSilentCallee(step: RuleStep): void {
  const { answeringMachine, answeredUs, userTurn, initialMessage, reply } = step.context;
  if (initialMessage === 'done' || answeringMachine.machineSpeech !== 'none') return;
  // If the words turn out to be an echo, the pending message is still said.
  if (userTurnHasWords(step.context)) {
    makeInitialMessagePending(step);
    return;
  }
  if (reply !== null) {
    step.startTimer('callee_first_word', INITIAL_MESSAGE_RETRY_MS);
    return;
  }
  if (userHasTurn(step.context)) {
    makeInitialMessagePending(step);
    const soundMs = (step.nowUs - (userTurn.startedUs ?? step.nowUs)) / 1000;
    const answeredMs = (step.nowUs - (answeredUs ?? step.nowUs)) / 1000;
    const leftMs = Math.min(WORDLESS_MS_MAX - soundMs, CLASSIFICATION_MS_MAX - answeredMs);
    if (leftMs > 0) {
      step.startTimer('callee_first_word', Math.ceil(leftMs));
      return;
    }
    discardNoise(step);
  }
  sayInitialMessage(step);
}

/** The initial message is due: it is said once neither party speaks, or as the answer to the user's words. */
export function makeInitialMessagePending(step: RuleStep): void {
  if (step.context.initialMessage === 'scheduled') step.change({ initialMessage: 'pending' });
}

export function isInitialMessagePending({ initialMessage }: CallContext): boolean {
  return initialMessage === 'pending';
}

/** The model still has to answer, no tool result is missing, and the user is not typing digits. */
export function isResponsePending({ pendingResponse, runningTools, dtmf }: CallContext): boolean {
  return pendingResponse && runningTools.length === 0 && dtmf.openEntry === null;
}

export function becomeIdle(step: RuleStep): void {
  step.change({ idle: true });
}

export function becomeActive(step: RuleStep): void {
  step.change({ idle: false });
}
