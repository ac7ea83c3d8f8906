import { CLASSIFICATION_MAX_MS } from '../answering-machine/classification.ts';
import { classifyEndedTurn } from '../answering-machine/detection.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { CommittedTurn } from '../core/state/turns-slice.ts';
import { transcriberTraits } from '../current-providers/current-transcriber.ts';
import { isPartlyTranscribed } from '../current-providers/transcription-gap.ts';
import { rememberWordlessSpeech, reopenMuteTranscriber } from '../failover/transcriber-failover.ts';
import { restartToolFiller } from '../fillers/tool-filler.ts';
import { adoptEagerGeneration, updateEagerGeneration } from '../generation/eager-generation.ts';
import { languagePack } from '../languages/language-packs.ts';
import { requestGeneration, say, startReply } from '../playout/reply.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { commitTurn, userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { endpointDelayMs } from '../turn-detection/endpointing.ts';
import { monologueLeftMs } from '../turn-detection/monologue-limit.ts';
import { discardEchoInterim, discardNoise } from '../turn-detection/user-turn.ts';
import { requestExtraction } from '../variable-extraction/variable-extraction.ts';
import { filled } from '../variables/variables.ts';

/** The user speaks, or has uncommitted words, or words for a sound may still arrive. */
export function userHasTurn({ userTurn }: CallContext): boolean {
  return userTurn.speaking || userTurn.startedUs !== null || userTurnText(userTurn) !== '';
}

/** Keys that are being pressed belong to it: they end at a pause at the latest. */
export function isUserTurnComplete(context: CallContext): boolean {
  return context.userTurn.complete && userTurnHasWords(context) && context.dtmf.openEntry === null;
}

/** Moves the end of the user's turn after each event of speech. */
export function scheduleEndpoint(step: RuleStep): void {
  if (step.context.userTurn.complete) return;
  if (isPartlyTranscribed(step)) {
    step.stopTimer('endpoint');
    return;
  }
  const delayMs = silenceLeftMs(step);
  const leftMs = userTurnHasWords(step.context) ? monologueLeftMs(step.context, step.nowUs) : null;
  const dueMs = Math.min(delayMs, leftMs ?? delayMs);
  if (dueMs > 0) step.startTimer('endpoint', dueMs);
  else onEndpoint(step);
  updateEagerGeneration(step, dueMs);
}

function silenceLeftMs(step: RuleStep): number {
  const { userTurn, agent, finalLatenciesMs } = step.context;
  return endpointDelayMs({
    userTurn,
    traits: transcriberTraits(step.context),
    finalLatenciesMs,
    language: languagePack(agent.language),
    entityDetection: step.state.features.entity_detection,
    nowUs: step.nowUs,
  });
}

/** Without words there was only noise; else the turn is committed. */
export function onEndpoint(step: RuleStep): void {
  step.stopTimer('endpoint');
  if (!userTurnHasWords(step.context)) {
    reopenMuteTranscriber(step);
    rememberWordlessSpeech(step);
    discardNoise(step);
  } else if (!discardEchoInterim(step)) {
    const cutShort = silenceLeftMs(step) > 0 && monologueLeftMs(step.context, step.nowUs) === 0;
    step.change({ userTurn: { ...step.context.userTurn, complete: true, overMonologueLimit: cutShort } });
  }
}

/** Commits the user's turn and starts the reply. */
export function answerUserTurn(step: RuleStep): void {
  classifyEndedTurn(step);
  const { overMonologueLimit } = step.context.userTurn;
  const turn = commitTurn(step);
  requestExtraction(step);
  if (greetInstead(step, turn)) return;
  // A user who goes on talking does not interrupt the answer to a monologue.
  startReply(step, turn, !overMonologueLimit);
  if (!adoptEagerGeneration(step)) requestGeneration(step);
  restartToolFiller(step);
}

/** The initial message answers the first turn, where it was not said before. */
export function greetInstead(step: RuleStep, turn: CommittedTurn): boolean {
  if (step.context.greeting === 'done') return false;
  if (filled(step, step.context.agent.initial_message) !== '') {
    greet(step, turn);
    return true;
  }
  // The initial message is empty once filled in: the model answers.
  step.change({ greeting: 'done' });
  step.stopTimer('initial_message');
  return false;
}

/** A tool has answered after its turn was over, or noise cut a reply off: the model goes on by itself. */
export function answerPendingResponse(step: RuleStep): void {
  step.change({ pendingResponse: false });
  startReply(step, null);
  requestGeneration(step);
}

/**
 * The initial message is always said: after its delay, or in place of the model's first answer where the user speaks
 * before.
 */
export function greet(step: RuleStep, turn: CommittedTurn | null = null): void {
  const { agent } = step.context;
  step.change({ greeting: 'done' });
  step.stopTimer('initial_message');
  startReply(step, turn, agent.initial_message_interruptible);
  say(step, agent.initial_message);
}

export function startConversation(step: RuleStep): void {
  const { agent, parameters, greeting } = step.context;
  // The callee of an outbound call speaks first: see `greetSilentCallee`.
  if (greeting === 'done' || parameters.direction === 'outbound') return;
  if (agent.initial_message_delay > 0) step.startTimer('initial_message', agent.initial_message_delay * 1000);
  else greet(step);
}

/**
 * A sound without a word holds the initial message of a call that we placed for so long, from its beginning: words of it
 * are known sooner. Sounds that begin again and again hold it until the answer must be judged at the latest.
 */
const WORDLESS_MAX_MS = 2_000;
/** While something else is said, the moment comes again. */
const LATER_MS = 500;

/**
 * The callee has said nothing for as long as one waits for it: the initial message comes. Words in progress are a turn,
 * which it answers; a sound without any is the line's own noise after a while.
 */
export function greetSilentCallee(step: RuleStep): void {
  const { answeringMachine, answeredUs, userTurn, greeting, reply } = step.context;
  if (greeting === 'done' || answeringMachine.speech !== 'none') return;
  // Words can turn out to be none.
  if (userTurnHasWords(step.context)) {
    makeGreetingPending(step);
    return;
  }
  if (reply !== null) {
    step.startTimer('callee_first_word', LATER_MS);
    return;
  }
  if (userHasTurn(step.context)) {
    makeGreetingPending(step);
    const soundMs = (step.nowUs - (userTurn.startedUs ?? step.nowUs)) / 1000;
    const answeredMs = (step.nowUs - (answeredUs ?? step.nowUs)) / 1000;
    const leftMs = Math.min(WORDLESS_MAX_MS - soundMs, CLASSIFICATION_MAX_MS - answeredMs);
    if (leftMs > 0) {
      step.startTimer('callee_first_word', Math.ceil(leftMs));
      return;
    }
    discardNoise(step);
  }
  greet(step);
}

/** The initial message is due: it is said once neither party speaks, or as the answer to the user's words. */
export function makeGreetingPending(step: RuleStep): void {
  if (step.context.greeting === 'scheduled') step.change({ greeting: 'pending' });
}

export function isGreetingPending({ greeting }: CallContext): boolean {
  return greeting === 'pending';
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

/** The pending initial message, outside a user turn. */
export function greetNow(step: RuleStep): void {
  greet(step);
}
