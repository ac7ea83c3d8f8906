import type { CallContext, TakenTurn } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { answeringPhrases } from '../languages/answering-machine-languages.ts';
import { dropReply } from '../playout/drop-reply.ts';
import { askNext, say, startReply } from '../playout/reply.ts';
import { addCallerWords } from '../transcript/history.ts';
import { commitTurn, turnHasWords } from '../turn-detection/commit-turn.ts';
import { turnText } from '../turn-detection/turn-text.ts';
import { filled } from '../variables/variables.ts';
import { machineByWords, saysToHold } from './classification.ts';
import { changeAnswer, settleAs, watchAnswer } from './detection.ts';

/** A machine that is silent for so long has come to its end. Between two sentences of a greeting there is less. */
const SILENCE_MS = { voicemail: 1_800, ivr: 1_200, call_screening: 800, human: 1_800, unknown: 1_800 } as const;
/** It is listened to for no longer; greetings of a minute exist. */
const LISTEN_MAX_MS = 60_000;
/** Whoever screens the call fetches somebody; then the initial message comes, whoever hears it. */
const FETCH_MAX_MS = 60_000;

/** What the model is told of the machine, once each. */
const NOTES = {
  voicemail:
    'A voicemail answered, and its greeting is over: what you say now is recorded. Leave a short message or end the call.',
  ivr:
    'An automated menu answered, and nobody hears you yet. Press a key with a function, or say only what the menu asks for. ' +
    'Once a person talks with you, begin the conversation as you would at its start.',
  call_screening: 'Your call is being screened: say who you are and why you are calling, in one sentence.',
  unknown: 'A recorded announcement answered: nobody is to be reached there now. End the call if you can.',
} as const;

export function attendsMachine({ answer, ending }: CallContext): boolean {
  return answer.machine !== 'none' && ending === null;
}

/** A machine has the floor from now on: what was being said to it is cut, and not said again. */
export function attend(step: Step): void {
  step.stopTimer('endpoint');
  step.stopTimer('first_word');
  dropReply(step, 'machine');
  step.change({ owed: false });
  postponeGreeting(step);
  step.startTimer('machine_latest', LISTEN_MAX_MS);
  scheduleMachine(step);
}

/** It is for the person who comes then. */
function postponeGreeting(step: Step): void {
  if (step.context.greeting === 'owed') step.change({ greeting: 'due' });
}

/** Moves the moment at which its silence is its end. */
export function scheduleMachine(step: Step): void {
  const { answer, caller } = step.context;
  if (answer.machine === 'done') return;
  if (caller.speaking) {
    step.stopTimer('machine');
    return;
  }
  const silentMs = (step.nowUs - (caller.endedUs ?? step.nowUs)) / 1000;
  const leftMs = SILENCE_MS[answer.type ?? 'unknown'] - silentMs;
  if (leftMs > 0) step.startTimer('machine', Math.ceil(leftMs));
  else machineIsDone(step);
}

export function machineIsDone(step: Step): void {
  step.stopTimer('machine');
  step.stopTimer('machine_latest');
  changeAnswer(step, { machine: 'done' });
}

/** A beep or the tones before an announcement were heard. */
export function takeTone(step: Step): void {
  const { event } = step;
  if (event.type !== 'media.tone') return;
  if (event.kind === 'sit') changeAnswer(step, { sit: true });
  else changeAnswer(step, { beepUs: step.audioUs(event.endMs) });
  watchAnswer(step);
  const { answer, ending, reply } = step.context;
  if (event.kind !== 'beep') return;
  if (answer.machine === 'talks' && answer.type !== 'ivr') machineIsDone(step);
  // The message had begun in a pause of the greeting: what was said before the beep is on no recording.
  if (ending === 'voicemail_left' && reply !== null && step.context.endReason === null) {
    dropReply(step, 'machine');
    sayMessage(step, null);
  }
}

/** The machine has come to its end, and hears what is said now. */
export function answerMachine(step: Step): void {
  const { type, purposeTold } = step.context.answer;
  machineIsDone(step);
  changeAnswer(step, { machine: 'none', listened: true });
  const turn = machineTurn(step);
  // Without a type the model called it a voicemail, on a call that came in.
  const isVoicemail = type === 'voicemail' || type === null;
  if (isVoicemail && messageOf(step) !== null) {
    step.change({ ending: 'voicemail_left' });
    sayMessage(step, turn);
  } else if (type === 'call_screening' && !purposeTold && filled(step, purposeOf(step)) !== '') tellPurpose(step, turn);
  else askAbout(step, isVoicemail || type === 'human' ? 'voicemail' : type, turn);
}

/** What it has said is its turn; a machine that only beeped has one too, for the model answers somebody. */
function machineTurn(step: Step): TakenTurn {
  if (turnHasWords(step.context)) return commitTurn(step);
  addCallerWords(step, '[a tone]');
  step.change({ owed: false });
  return { number: step.next('turn'), speechEndedUs: step.nowUs, takenUs: step.nowUs };
}

function messageOf(step: Step): string | null {
  const tool = step.state.tools.find((one) => one.type === 'leave_voicemail_message');
  const template = tool?.filler_sentence;
  return template === undefined || filled(step, template) === '' ? null : template;
}

/** Whole, whatever the machine plays meanwhile; the call ends with it. Tones are of interest until it follows a beep. */
function sayMessage(step: Step, turn: TakenTurn | null): void {
  startReply(step, turn, false);
  say(step, messageOf(step) ?? undefined);
  step.change({ greeting: 'done', owed: false });
  if (step.context.answer.beepUs !== null) step.order({ type: 'tones.listen', on: false });
}

function purposeOf(step: Step): string {
  const { call_purpose, initial_message } = step.context.agent;
  return filled(step, call_purpose ?? '') === '' ? initial_message : (call_purpose ?? '');
}

/** The initial message is for the person who comes then; it is theirs also where it was the purpose. */
function tellPurpose(step: Step, turn: TakenTurn): void {
  changeAnswer(step, { purposeTold: true });
  startReply(step, turn, false);
  say(step, purposeOf(step));
  step.change({ greeting: step.context.agent.initial_message === '' ? 'done' : 'due' });
  waitForFetched(step);
}

function waitForFetched(step: Step): void {
  const pausedUntilUs = step.nowUs + FETCH_MAX_MS * 1000;
  step.change({ presence: { ...step.context.presence, pausedUntilUs } });
  if (step.context.greeting !== 'done') step.startTimer('fetched', FETCH_MAX_MS);
}

/** The model decides what to do with it, with the functions that it has. */
function askAbout(step: Step, type: keyof typeof NOTES, turn: TakenTurn): void {
  const { notes } = step.context;
  const note = NOTES[type];
  step.change({ greeting: 'done', notes: notes.includes(note) ? notes : [...notes, note] });
  // A menu that begins again while the model thinks must not cut its answer off.
  startReply(step, turn, false);
  askNext(step);
}

/** A machine asks for patience: there is nothing to answer, and nobody who would hear it. */
export function isToldToHold({ answer, agent, caller }: CallContext): boolean {
  if (!caller.due || (answer.type !== 'ivr' && answer.type !== 'call_screening')) return false;
  const phrases = answeringPhrases(agent.language);
  const text = turnText(caller);
  return saysToHold(text, phrases) && machineByWords(text, phrases) === null;
}

export function waitForOther(step: Step): void {
  commitTurn(step);
  postponeGreeting(step);
  waitForFetched(step);
}

/**
 * The model says that a machine is to be left a message. `now`: it waits for one, as its greeting was listened to;
 * `later`: the floor goes to the machine first.
 */
export function leavesMessage(step: Step): 'now' | 'later' {
  const { answer, facts } = step.context;
  if (facts.direction === 'outbound' && answer.type !== 'voicemail') settleAs(step, 'voicemail', 'the model');
  if (answer.listened) return 'now';
  step.order({ type: 'tones.listen', on: true });
  changeAnswer(step, { machine: answer.beepUs === null ? 'talks' : 'done' });
  return 'later';
}
