import { ANSWER_BOUND_MS } from '../answering-machine/classification.ts';
import { settleTurn } from '../answering-machine/detection.ts';
import type { CallContext, TakenTurn } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { noticeWordless, rememberWordless } from '../failover/transcriber-failover.ts';
import { watchBusyAgain } from '../fillers/tool-filler.ts';
import { adoptEager, considerEager } from '../generation/eager-generation.ts';
import { spokenLanguage } from '../languages/languages.ts';
import { askNext, say, startReply } from '../playout/reply.ts';
import { isHalfHeard, transcriberTraits } from '../provider-choice/transcriber-gap.ts';
import { commitTurn, turnHasWords } from '../turn-detection/commit-turn.ts';
import { endpointDelayMs } from '../turn-detection/endpointing.ts';
import { monologueLeftMs } from '../turn-detection/monologue.ts';
import { turnText } from '../turn-detection/turn-text.ts';
import { dropOwnInterim, forgetNoise } from '../turn-detection/user-turn.ts';
import { requestExtraction } from '../variable-extraction/extraction.ts';
import { filled } from '../variables/variables.ts';

/** The caller has the floor: their voice is heard, or their words are, or words of a sound may still come. */
export function callerHasFloor({ caller }: CallContext): boolean {
  return caller.speaking || caller.startedUs !== null || turnText(caller) !== '';
}

/** Keys that are being pressed belong to it: they end at a pause at the latest. */
export function turnIsDue(context: CallContext): boolean {
  return context.caller.due && turnHasWords(context) && context.digits.pressed === null;
}

/** Moves the moment at which the caller's turn is taken, after whatever was heard. */
export function scheduleEndpoint(step: Step): void {
  if (step.context.caller.due) return;
  if (isHalfHeard(step)) {
    step.stopTimer('endpoint');
    return;
  }
  const delayMs = silenceLeftMs(step);
  const leftMs = turnHasWords(step.context) ? monologueLeftMs(step.context, step.nowUs) : null;
  const dueMs = Math.min(delayMs, leftMs ?? delayMs);
  if (dueMs > 0) step.startTimer('endpoint', dueMs);
  else endpointReached(step);
  considerEager(step, dueMs);
}

function silenceLeftMs(step: Step): number {
  const { caller, agent, finalLagsMs } = step.context;
  return endpointDelayMs({
    caller,
    traits: transcriberTraits(step.context),
    finalLagsMs,
    language: spokenLanguage(agent.language),
    entityDetection: step.state.features.entity_detection,
    nowUs: step.nowUs,
  });
}

/** Without words there was only noise; else the turn is taken. */
export function endpointReached(step: Step): void {
  step.stopTimer('endpoint');
  if (!turnHasWords(step.context)) {
    noticeWordless(step);
    rememberWordless(step);
    forgetNoise(step);
  } else if (!dropOwnInterim(step)) {
    const cutShort = silenceLeftMs(step) > 0 && monologueLeftMs(step.context, step.nowUs) === 0;
    step.change({ caller: { ...step.context.caller, due: true, cutShort } });
  }
}

/** The turn goes into transcript and history, and the agent has the floor. */
export function answerTurn(step: Step): void {
  settleTurn(step);
  const { cutShort } = step.context.caller;
  const turn = commitTurn(step);
  requestExtraction(step);
  if (isGreeted(step, turn)) return;
  // A caller who goes on talking does not take the floor back at once.
  startReply(step, turn, !cutShort);
  if (!adoptEager(step)) askNext(step);
  watchBusyAgain(step);
}

/** The initial message answers the first turn, where it was not said before. */
export function isGreeted(step: Step, turn: TakenTurn): boolean {
  if (step.context.greeting === 'done') return false;
  if (filled(step, step.context.agent.initial_message) !== '') {
    greet(step, turn);
    return true;
  }
  // What it would say comes to nothing: the caller is answered by the model.
  step.change({ greeting: 'done' });
  step.stopTimer('initial_message');
  return false;
}

/** A tool has answered after its turn was over, or noise cut a reply off: the model goes on by itself. */
export function answerOwed(step: Step): void {
  step.change({ owed: false });
  startReply(step, null);
  askNext(step);
}

/**
 * The initial message is always said: after its delay, or in place of the model's first answer where the caller speaks
 * before.
 */
export function greet(step: Step, turn: TakenTurn | null = null): void {
  const { agent } = step.context;
  step.change({ greeting: 'done' });
  step.stopTimer('initial_message');
  startReply(step, turn, agent.initial_message_interruptible);
  say(step, agent.initial_message);
}

export function beginTalk(step: Step): void {
  const { agent, facts, greeting } = step.context;
  // Whoever answers our call speaks first: see `speakFirst`.
  if (greeting === 'done' || facts.direction === 'outbound') return;
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
export function speakFirst(step: Step): void {
  const { answer, answeredUs, caller, greeting, reply } = step.context;
  if (greeting === 'done' || answer.machine !== 'none') return;
  // Words can turn out to be none.
  if (turnHasWords(step.context)) {
    oweGreeting(step);
    return;
  }
  if (reply !== null) {
    step.startTimer('first_word', LATER_MS);
    return;
  }
  if (callerHasFloor(step.context)) {
    oweGreeting(step);
    const soundMs = (step.nowUs - (caller.startedUs ?? step.nowUs)) / 1000;
    const answeredMs = (step.nowUs - (answeredUs ?? step.nowUs)) / 1000;
    const leftMs = Math.min(WORDLESS_MAX_MS - soundMs, ANSWER_BOUND_MS - answeredMs);
    if (leftMs > 0) {
      step.startTimer('first_word', Math.ceil(leftMs));
      return;
    }
    forgetNoise(step);
  }
  greet(step);
}

/** The moment of the initial message has come: it is said once nobody speaks, unless words are there that it answers. */
export function oweGreeting(step: Step): void {
  if (step.context.greeting === 'due') step.change({ greeting: 'owed' });
}

export function owesGreeting({ greeting }: CallContext): boolean {
  return greeting === 'owed';
}
