import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { AnsweringMachineState } from '../core/state/answering-machine-slice.ts';
import { answeringMachinePhrases } from '../languages/language-packs.ts';
import type { AnswerType } from '../ports/answer-type.ts';
import { joinTexts } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import {
  type AnswerClassification,
  type AnswerEvidence,
  asksToWait,
  CLASSIFICATION_MS_MAX,
  classifyAnswer,
  classifyWords,
  SHORT_GREETING_MS_MAX,
} from './classification.ts';

/** Until this time after the answer the type may be corrected, for example from `human` to `voicemail`. */
const CORRECTION_MS_MAX = 15_000;
/** The initial message waits this long for the callee's first word: people answer, raise the phone, then speak. */
const FIRST_WORD_WAIT_MS = 1_000;
/** After more user turns than this, a beep comes from a phone nearby and not from a voicemail. */
const VOICEMAIL_TURNS_MAX = 2;

/** Starts the detection once an outbound call is answered. */
export function startDetection(step: RuleStep): void {
  const { parameters, agent, initialMessage } = step.context;
  if (parameters.direction !== 'outbound') return;
  changeAnsweringMachine(step, { detection: 'deciding' });
  step.command({ type: 'tones.listen', on: true });
  step.startTimer('answering_machine_detection', CLASSIFICATION_MS_MAX);
  step.startTimer('answering_machine_correction', CORRECTION_MS_MAX);
  if (initialMessage === 'scheduled')
    step.startTimer('callee_first_word', Math.max(FIRST_WORD_WAIT_MS, agent.initial_message_delay * 1000));
}

export function changeAnsweringMachine(step: RuleStep, changed: Partial<AnsweringMachineState>): void {
  step.change({ answeringMachine: { ...step.context.answeringMachine, ...changed } });
}

/** Classifies again after each sound, each word, and at the time limit. */
export function updateDetection(step: RuleStep): void {
  classify(step, false);
}

/** Classifies the user turn that is about to be answered. */
export function classifyEndedTurn(step: RuleStep): void {
  classify(step, true);
}

/** Makes the type final. Detection continues after a menu or a call screening: another party may follow them. */
export function stopCorrections(step: RuleStep): void {
  const { type, machineSpeech } = step.context.answeringMachine;
  if (type === 'ivr' || type === 'call_screening' || machineSpeech !== 'none') return;
  changeAnsweringMachine(step, { detection: 'off' });
  step.command({ type: 'tones.listen', on: false });
}

function classify(step: RuleStep, turnEnded: boolean): void {
  const { answeringMachine, agent, userTurn } = step.context;
  if (answeringMachine.detection === 'off') return;
  const classification = isAnsweringMachine(answeringMachine.type)
    ? classifyWords(userTurnText(userTurn), answeringMachinePhrases(agent.language))
    : classifyAnswer(evidenceOf(step, turnEnded));
  if (classification === null) {
    if (turnEnded) noticePerson(step);
    return;
  }
  if (classification.type === answeringMachine.type) {
    // Another message of the machine: the next part of a menu, or an announcement by an unknown party.
    const isNextMessage =
      answeringMachine.type === 'unknown' ? !answeringMachine.greetingHeard : answeringMachine.type !== 'voicemail';
    if (classification.playsMessage && isNextMessage && step.context.reply === null)
      listenToMachine(step, classification);
    return;
  }
  if (canChangeTo(step.context, classification)) decide(step, classification.type, classification);
}

/** A turn after the menu, without words of a machine: a person has probably answered. */
function noticePerson(step: RuleStep): void {
  const { answeringMachine, agent, userTurn } = step.context;
  const asks = asksToWait(userTurnText(userTurn), answeringMachinePhrases(agent.language));
  if (answeringMachine.type === 'ivr' && answeringMachine.greetingHeard && !asks)
    changeAnsweringMachine(step, { isPersonLikely: true });
}

function isAnsweringMachine(type: AnswerType | null): boolean {
  return type === 'voicemail' || type === 'ivr' || type === 'call_screening';
}

function evidenceOf(step: RuleStep, turnEnded: boolean): AnswerEvidence {
  const { agent, answeringMachine, answeredUs, userTurn, history } = step.context;
  const earlierTexts = history.map((item) => (item.type === 'user' ? item.text : ''));
  const spokenUntilUs = userTurn.speaking ? step.nowUs : (userTurn.endedUs ?? step.nowUs);
  const text = userTurnText(userTurn);
  return {
    phrases: answeringMachinePhrases(agent.language),
    text: joinTexts(...earlierTexts, text),
    beep: answeringMachine.beepUs !== null,
    sitHeard: answeringMachine.sitHeard,
    sinceAnswerMs: (step.nowUs - (answeredUs ?? step.nowUs)) / 1000,
    turnMs: text === '' || userTurn.startedUs === null ? null : (spokenUntilUs - userTurn.startedUs) / 1000,
    turnEnded,
    answersAgent: history.some((item) => item.type === 'agent' && item.entry !== null),
  };
}

/** An unknown type may change to any. A known type may change once, and only to a machine that plays a message. */
function canChangeTo(context: CallContext, classification: AnswerClassification): boolean {
  const { answeringMachine, userTurn, counters } = context;
  if (answeringMachine.type === null || answeringMachine.type === 'unknown') return true;
  if (answeringMachine.corrected || !classification.playsMessage) return false;
  if (answeringMachine.type !== 'human') return true;
  switch (classification.reason) {
    case 'a beep':
      return counters.turn <= VOICEMAIL_TURNS_MAX;
    case 'words of absence':
      // Humans use these words too, but not in a long turn.
      return userTurn.startedUs !== null && (userTurn.endedUs ?? 0) - userTurn.startedUs > SHORT_GREETING_MS_MAX * 1000;
    case 'words of a screening':
      return !hasListened(context);
    case 'words of a recording':
    case 'words of a menu':
      return true;
    default:
      return false;
  }
}

/** The callee has heard an answer to its end, as a person does. A receptionist asks for the reason of a call, too. */
function hasListened({ history, lastFinishedReply }: CallContext): boolean {
  const first = history.findIndex((item) => item.type === 'user');
  const isAnswered = history.some(
    (item, at) => first >= 0 && at > first && item.type === 'agent' && item.entry !== null,
  );
  return isAnswered && lastFinishedReply !== null;
}

function decide(step: RuleStep, answerType: AnswerType, classification: AnswerClassification): void {
  recordAnswerType(step, answerType, classification.reason);
  if (classification.playsMessage) listenToMachine(step, classification);
}

/** Keeps and reports the type of the party that answered. */
export function recordAnswerType(step: RuleStep, answerType: AnswerType, reason: string): void {
  const { type, corrected } = step.context.answeringMachine;
  const wasKnown = type !== null && type !== 'unknown';
  changeAnsweringMachine(step, { detection: 'provisional', type: answerType, corrected: corrected || wasKnown });
  step.stopTimer('answering_machine_detection');
  step.log({ type: 'answer_type_detected', answerType, reason });
  step.command({ type: 'journal.write', entry: { type: 'answer_type', answerType, atUs: step.nowUs } });
}

/** Gives the turn to a machine that plays a message. A call that is ending or being transferred stays as it is. */
function listenToMachine(step: RuleStep, classification: AnswerClassification): void {
  const { answeringMachine, decidedEnd, reply } = step.context;
  if (
    answeringMachine.machineSpeech !== 'none' ||
    decidedEnd !== null ||
    (reply !== null && reply.followUp.type !== 'listen')
  )
    return;
  const machineSpeech = classification.reason === 'a beep' ? 'finished' : 'speaking';
  changeAnsweringMachine(step, { machineSpeech, isPersonLikely: false });
}
