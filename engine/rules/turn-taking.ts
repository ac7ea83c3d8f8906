import type { CallContext, TakenTurn } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';
import { forgetNoise, takeTurn } from './caller-turn.ts';
import { adoptEager, considerEager } from './eager.ts';
import { isOwnVoice } from './echo.ts';
import { endpointDelayMs } from './endpointing.ts';
import { requestExtraction } from './extraction.ts';
import { addCallerWords } from './history.ts';
import { MONOLOGUE_NOTE, monologueLeftMs } from './monologue.ts';
import { askNext, say, startReply } from './reply.ts';
import { spokenLanguage } from './spoken-language.ts';
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
  if (step.context.caller.due) return;
  const delayMs = silenceLeftMs(step);
  const leftMs = turnHasWords(step.context) ? monologueLeftMs(step.context, step.nowUs) : null;
  const dueMs = Math.min(delayMs, leftMs ?? delayMs);
  if (dueMs > 0) step.startTimer('endpoint', dueMs);
  else endpointReached(step);
  considerEager(step, dueMs);
}

function silenceLeftMs(step: Step): number {
  const { caller, facts, agent, finalLagsMs } = step.context;
  return endpointDelayMs({
    caller,
    traits: facts.transcriberTraits,
    finalLagsMs,
    language: spokenLanguage(agent.language),
    entityDetection: step.state.features.entity_detection,
    nowUs: step.nowUs,
  });
}

/** Without words there was only noise; else the turn is taken. */
export function endpointReached(step: Step): void {
  step.stopTimer('endpoint');
  const { caller } = step.context;
  if (!turnHasWords(step.context)) forgetNoise(step);
  else if (caller.interim !== null && isOwnVoice(step.context, turnText(caller), caller.startedUs ?? step.nowUs)) {
    // Its final, which would have told so, has not come.
    takeTurn(step);
    forgetNoise(step);
  } else {
    const cutShort = silenceLeftMs(step) > 0 && monologueLeftMs(step.context, step.nowUs) === 0;
    step.change({ caller: { ...step.context.caller, due: true, cutShort } });
  }
}

/** The turn goes into transcript and history, and the agent has the floor. */
export function answerTurn(step: Step): void {
  const { cutShort } = step.context.caller;
  const turn = commitTurn(step);
  requestExtraction(step);
  if (step.context.greeting === 'due') {
    greet(step, turn);
    return;
  }
  // A caller who goes on talking does not take the floor back at once.
  startReply(step, turn, !cutShort);
  if (!adoptEager(step)) askNext(step);
}

/** What the caller has said becomes their turn, whole. */
function commitTurn(step: Step): TakenTurn {
  const { caller } = step.context;
  step.stopTimer('endpoint');
  writeCallerLine(step);
  addCallerWords(step, caller.cutShort ? `${turnText(caller)} ${MONOLOGUE_NOTE}` : turnText(caller));
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
  step.stopTimer('initial_message');
  startReply(step, turn, agent.initial_message_interruptible);
  say(step, agent.initial_message);
}

export function beginTalk(step: Step): void {
  const { agent, greeting } = step.context;
  if (greeting === 'done') return;
  if (agent.initial_message_delay > 0) step.startTimer('initial_message', agent.initial_message_delay * 1000);
  else {
    greet(step);
    step.raise({ type: 'engine.reply' });
  }
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
