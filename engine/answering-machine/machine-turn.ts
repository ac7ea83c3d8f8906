import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { CommittedTurn } from '../core/state/turn-detection-slice.ts';
import { hasInitialMessage } from '../core/state/turn-taking-slice.ts';
import { answeringMachinePhrases } from '../languages/language-packs.ts';
import { dropReply } from '../playout/drop-reply.ts';
import { changeReply, requestGeneration, say, startReply } from '../playout/reply.ts';
import { forgetAnnouncement } from '../recording/recording-consent.ts';
import { addUserText } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { commitTurn, userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { fillVariablesForSpeech } from '../variables/variables.ts';
import { asksToWait, classifyWords } from './classification.ts';
import { changeAnsweringMachine, recordAnswerType, updateDetection } from './detection.ts';

/** A machine that is silent for this long has finished; pauses between the sentences of a greeting are shorter. */
const END_SILENCE_MS = { voicemail: 1_800, ivr: 1_200, call_screening: 800, human: 1_800, unknown: 1_800 } as const;
/** The machine's turn ends after this time at the latest; some greetings last nearly a minute. */
const LISTEN_MS_MAX = 60_000;
/** The call screening has this long to connect the callee; then the initial message is said in any case. */
const SCREENING_WAIT_MS_MAX = 60_000;

/** A menu that has taken digits speaks again, or connects a person, within this time. */
const MENU_WAIT_MS = 5_000;

/** Notes for the model about the machine; each is added once. */
const NOTES = {
  voicemail:
    'A voicemail answered, and its greeting is over: what you say now is recorded. Leave a short message or end the call.',
  ivr:
    'An automated menu answered, and nobody hears you yet. Press a key with a function, or say only what the menu asks for. ' +
    'Once a person talks with you, begin the conversation as you would at its start.',
  call_screening: 'Your call is being screened: say who you are and why you are calling, in one sentence.',
  unknown: 'A recorded announcement answered: nobody is to be reached there now. End the call if you can.',
} as const;

export function machineHasTurn({ answeringMachine, decidedEnd }: CallContext): boolean {
  return answeringMachine.machineSpeech !== 'none' && decidedEnd === null;
}

/** The machine has the turn: the current reply is dropped and not repeated. */
export function startMachineTurn(step: RuleStep): void {
  step.stopTimer('endpoint');
  step.stopTimer('callee_first_word');
  dropReply(step, 'answeringMachine');
  step.change({ pendingResponse: false });
  forgetAnnouncement(step);
  postponeInitialMessage(step);
  step.startTimer('machine_turn_limit', LISTEN_MS_MAX);
  scheduleMachineEnd(step);
}

/** The initial message is kept for the human who may follow the machine. */
function postponeInitialMessage(step: RuleStep): void {
  if (step.context.initialMessage === 'pending') step.change({ initialMessage: 'scheduled' });
}

/** Restarts the wait for the silence that ends the machine's turn. */
export function scheduleMachineEnd(step: RuleStep): void {
  const { answeringMachine, userTurn } = step.context;
  if (answeringMachine.machineSpeech === 'finished') return;
  if (userTurn.speaking) {
    step.stopTimer('machine_silence');
    return;
  }
  const silentMs = (step.nowUs - (userTurn.endedUs ?? step.nowUs)) / 1000;
  const leftMs = END_SILENCE_MS[answeringMachine.type ?? 'unknown'] - silentMs;
  if (leftMs > 0) step.startTimer('machine_silence', Math.ceil(leftMs));
  else finishMachineTurn(step);
}

export function finishMachineTurn(step: RuleStep): void {
  step.stopTimer('machine_silence');
  step.stopTimer('machine_turn_limit');
  changeAnsweringMachine(step, { machineSpeech: 'finished' });
}

/** A beep or special information tones were heard. */
export function onTone(step: RuleStep): void {
  const { event } = step;
  if (event.type !== 'media.tone') return;
  if (event.kind === 'sit') changeAnsweringMachine(step, { sitHeard: true });
  else changeAnsweringMachine(step, { beepUs: step.audioUs(event.endMs) });
  updateDetection(step);
  const { answeringMachine, decidedEnd, reply } = step.context;
  if (event.kind !== 'beep') return;
  if (answeringMachine.machineSpeech === 'speaking' && answeringMachine.type !== 'ivr') finishMachineTurn(step);
  // The message began in a pause of the greeting. It is repeated, because the recording starts at the beep.
  if (decidedEnd === 'voicemail_left' && reply !== null && step.context.endReason === null) {
    dropReply(step, 'answeringMachine');
    leaveMessage(step, null);
  }
}

/** The machine has finished and listens: leaves the message, states the purpose of the call, or asks the model. */
export function answerMachine(step: RuleStep): void {
  const { type, purposeSaid } = step.context.answeringMachine;
  finishMachineTurn(step);
  changeAnsweringMachine(step, { machineSpeech: 'none', greetingHeard: true });
  const turn = commitMachineTurn(step);
  // Without a type this is an inbound call, and the model reported a voicemail.
  const isVoicemail = type === 'voicemail' || type === null;
  if (isVoicemail && messageTemplateOf(step) !== null) {
    step.change({ decidedEnd: 'voicemail_left' });
    leaveMessage(step, turn);
  } else if (type === 'call_screening' && !purposeSaid && fillVariablesForSpeech(step, purposeOf(step)) !== '')
    sayPurpose(step, turn);
  else {
    askModel(step, isVoicemail || type === 'human' ? 'voicemail' : type, turn);
    // The screened callee still hears the announcement of the recording.
    if (type === 'call_screening' && step.context.agent.recording_consent !== undefined) {
      step.change({ initialMessage: 'scheduled' });
      startScreeningWait(step);
    }
  }
}

/**
 * Commits the machine's words as a user turn. A machine that only beeped gets a note, since the model answers a turn.
 */
function commitMachineTurn(step: RuleStep): CommittedTurn {
  if (userTurnHasWords(step.context)) return commitTurn(step);
  addUserText(step, '[a tone]');
  step.change({ pendingResponse: false });
  return { number: step.nextNumber('turn'), speechEndedUs: step.nowUs, endedUs: step.nowUs };
}

function messageTemplateOf(step: RuleStep): string | null {
  const tool = step.state.tools.find((candidate) => candidate.type === 'leave_voicemail_message');
  const template = tool?.filler_sentence;
  return template === undefined || fillVariablesForSpeech(step, template) === '' ? null : template;
}

/**
 * Says the voicemail message uninterruptibly; the call ends after it. Tones are needed until a message follows a beep.
 */
function leaveMessage(step: RuleStep, turn: CommittedTurn | null): void {
  startReply(step, turn, false);
  say(step, messageTemplateOf(step) ?? undefined);
  step.change({ initialMessage: 'done', pendingResponse: false });
  if (step.context.answeringMachine.beepUs !== null) step.command({ type: 'tones.listen', on: false });
}

function purposeOf(step: RuleStep): string {
  const { call_purpose, initial_message } = step.context.agent;
  return fillVariablesForSpeech(step, call_purpose ?? '') === '' ? initial_message : (call_purpose ?? '');
}

/**
 * Says the purpose of the call to the call screening. The callee still hears the initial message, even if it was the
 * purpose.
 */
function sayPurpose(step: RuleStep, turn: CommittedTurn): void {
  changeAnsweringMachine(step, { purposeSaid: true });
  startReply(step, turn, false);
  say(step, purposeOf(step));
  step.change({ initialMessage: hasInitialMessage(step.context.agent) ? 'scheduled' : 'done' });
  startScreeningWait(step);
}

function startScreeningWait(step: RuleStep): void {
  const pausedUntilUs = step.nowUs + SCREENING_WAIT_MS_MAX * 1000;
  step.change({ presence: { ...step.context.presence, pausedUntilUs } });
  if (step.context.initialMessage !== 'done') step.startTimer('screening_wait', SCREENING_WAIT_MS_MAX);
}

/** The model decides how to handle the machine. */
function askModel(step: RuleStep, type: keyof typeof NOTES, turn: CommittedTurn): void {
  const { notes } = step.context;
  const note = NOTES[type];
  step.change({ initialMessage: 'done', notes: notes.includes(note) ? notes : [...notes, note] });
  // A menu that starts again while the model thinks must not interrupt the answer.
  startReply(step, turn, false);
  requestGeneration(step);
}

/**
 * Digits were sent to a menu: the agent listens in silence. The next part of the menu or a person is answered; without
 * either the model is asked after `MENU_WAIT_MS`.
 */
export function waitForMenu(step: RuleStep): void {
  changeReply(step, { requestPending: false });
  step.change({ pendingResponse: false });
  changeAnsweringMachine(step, { digitsSentAfterTurn: step.context.counters.turn });
  step.startTimer('menu_wait', MENU_WAIT_MS);
}

/** The menu has said nothing after the digits: the model decides what follows. */
export function speakToSilentMenu(step: RuleStep): void {
  const { answeringMachine, counters, decidedEnd, reply } = step.context;
  const isSilent = answeringMachine.digitsSentAfterTurn === counters.turn && answeringMachine.machineSpeech === 'none';
  changeAnsweringMachine(step, { digitsSentAfterTurn: null });
  if (isSilent && reply === null && decidedEnd === null) step.change({ pendingResponse: true });
}

/** A machine asks the agent to wait; it expects no answer. */
export function machineAsksToWait({ answeringMachine, agent, userTurn }: CallContext): boolean {
  if (!userTurn.complete || (answeringMachine.type !== 'ivr' && answeringMachine.type !== 'call_screening'))
    return false;
  const phrases = answeringMachinePhrases(agent.language);
  const text = userTurnText(userTurn);
  return asksToWait(text, phrases) && classifyWords(text, phrases) === null;
}

export function waitForCallee(step: RuleStep): void {
  commitTurn(step);
  postponeInitialMessage(step);
  startScreeningWait(step);
}

/**
 * The model asks to leave a voicemail message. `now`: the machine has finished its greeting and records. `later`: the
 * machine has the turn first.
 */
export function requestVoicemailMessage(step: RuleStep): 'now' | 'later' {
  const { answeringMachine, parameters } = step.context;
  if (parameters.direction === 'outbound' && answeringMachine.type !== 'voicemail')
    recordAnswerType(step, 'voicemail', 'the model');
  if (answeringMachine.greetingHeard) return 'now';
  step.command({ type: 'tones.listen', on: true });
  changeAnsweringMachine(step, { machineSpeech: answeringMachine.beepUs === null ? 'speaking' : 'finished' });
  return 'later';
}

export function machineHasFinished({ answeringMachine }: CallContext): boolean {
  return answeringMachine.machineSpeech === 'finished';
}
