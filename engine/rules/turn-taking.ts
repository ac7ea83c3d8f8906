import type { CallContext, TakenTurn } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';
import { ANSWER_BOUND_MS } from './answer-type.ts';
import { changeAnswer, settleTurn } from './answer-watch.ts';
import { forgetNoise, takeTurn } from './caller-turn.ts';
import { endpointDelayMs } from './endpointing.ts';
import { requestExtraction } from './extraction.ts';
import { addCallerWords } from './history.ts';
import { askNext, say, startReply } from './reply.ts';
import { spokenLanguage } from './spoken-language.ts';
import { isHalfHeard, transcriberTraits } from './transcriber-gap.ts';
import { writeCallerLine, writeDigits } from './transcript.ts';
import { turnText } from './turn-text.ts';

/** The caller has the floor: their voice is heard, or their words are, or words of a sound may still come. */
export function callerHasFloor({ caller }: CallContext): boolean {
  return caller.speaking || caller.startedUs !== null || turnText(caller) !== '';
}

export function turnHasWords({ caller }: CallContext): boolean {
  return turnText(caller) !== '';
}

/** Moves the moment at which the caller's turn is taken, after whatever was heard. */
export function scheduleEndpoint(step: Step): void {
  const { caller, agent } = step.context;
  if (caller.due) return;
  if (isHalfHeard(step)) {
    step.stopTimer('endpoint');
    return;
  }
  const delayMs = endpointDelayMs({
    caller,
    traits: transcriberTraits(step.context),
    language: spokenLanguage(agent.language),
    entityDetection: step.state.features.entity_detection,
    nowUs: step.nowUs,
  });
  if (delayMs > 0) step.startTimer('endpoint', delayMs);
  else endpointReached(step);
}

/** Without words there was only noise; else the turn is taken. */
export function endpointReached(step: Step): void {
  step.stopTimer('endpoint');
  if (turnText(step.context.caller) === '') forgetNoise(step);
  else step.change({ caller: { ...step.context.caller, due: true } });
}

/** The turn goes into transcript and history, and the agent has the floor. */
export function answerTurn(step: Step): void {
  settleTurn(step);
  const turn = commitTurn(step);
  requestExtraction(step);
  if (step.context.greeting === 'due') {
    greet(step, turn);
    return;
  }
  startReply(step, turn);
  askNext(step);
}

/** What the caller has said becomes their turn, whole. */
export function commitTurn(step: Step): TakenTurn {
  const { caller } = step.context;
  step.stopTimer('endpoint');
  writeCallerLine(step);
  addCallerWords(step, turnText(caller));
  // What the transcriber still holds of these words must not be mixed with the next ones.
  if (caller.interim !== null) step.order({ type: 'transcriber.finalize' });
  takeTurn(step);
  step.change({ presence: { ...step.context.presence, asked: 0 }, owed: false });
  return { number: step.next('turn'), speechEndedUs: caller.endedUs ?? step.nowUs, takenUs: step.nowUs };
}

/** The caller is gone in the middle of a turn: its words are kept. */
export function keepLastWords(step: Step): void {
  if (!turnHasWords(step.context)) return;
  commitTurn(step);
  requestExtraction(step);
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
  changeAnswer(step, { greetingIsLate: false });
  step.stopTimer('initial_message');
  startReply(step, turn, agent.initial_message_interruptible);
  say(step, agent.initial_message);
}

export function beginTalk(step: Step): void {
  const { agent, facts, greeting } = step.context;
  // Whoever answers our call speaks first: see `speakFirst`.
  if (greeting === 'done' || facts.direction === 'outbound') return;
  if (agent.initial_message_delay > 0) step.startTimer('initial_message', agent.initial_message_delay * 1000);
  else {
    greet(step);
    step.raise({ type: 'engine.reply' });
  }
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
  if (greeting === 'done' || answer.machine !== 'none' || turnHasWords(step.context)) return;
  if (reply !== null) {
    step.startTimer('first_word', LATER_MS);
    return;
  }
  if (callerHasFloor(step.context)) {
    changeAnswer(step, { greetingIsLate: true });
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
  step.raise({ type: 'engine.reply' });
}

/** The sound that held the initial message was nobody's word. */
export function owesGreeting({ answer, greeting }: CallContext): boolean {
  return greeting === 'due' && answer.greetingIsLate;
}

/** Keys that the caller presses are one entry until the terminator, a pause, or the greatest number of them. */
export function pressKey(step: Step): void {
  const { event } = step;
  if (event.type !== 'media.dtmf') return;
  const { dtmf } = step.context.agent;
  const ends = event.digit === dtmf.terminator;
  const pressed = ends ? step.context.digits.pressed : step.context.digits.pressed + event.digit;
  step.change({ digits: { ...step.context.digits, pressed } });
  if (ends || pressed.length >= (dtmf.max_digits ?? DIGITS_MAX)) endEntry(step);
  else step.startTimer('dtmf', dtmf.pause * 1000);
}

/** Where the agent sets no maximum. */
const DIGITS_MAX = 64;
/** Entries that wait for an agent that is not to be interrupted; the oldest is dropped. */
const ENTRIES_MAX = 10;

/** The terminator, the last digit or a pause: what was pressed is one entry. */
export function endEntry(step: Step): void {
  const { pressed, entries } = step.context.digits;
  step.stopTimer('dtmf');
  if (pressed !== '') step.change({ digits: { pressed: '', entries: [...entries, pressed].slice(-ENTRIES_MAX) } });
}

export function answerDigits(step: Step): void {
  const { pressed, entries } = step.context.digits;
  step.change({ digits: { pressed, entries: [] }, owed: false, presence: { ...step.context.presence, asked: 0 } });
  for (const entry of entries) {
    writeDigits(step, entry);
    addCallerWords(step, `[pressed the keys ${entry}]`);
  }
  requestExtraction(step);
  const turn = { number: step.next('turn'), speechEndedUs: step.nowUs, takenUs: step.nowUs };
  startReply(step, turn);
  askNext(step);
}
