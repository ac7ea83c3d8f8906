import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { isMenu } from '../core/state/answering-machine-slice.ts';
import type { FillersState } from '../core/state/fillers-slice.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { callsAgent } from '../languages/attention-call.ts';
import { languagePack } from '../languages/language-packs.ts';
import { changeReply, say, startReply } from '../playout/reply.ts';
import { addAgentItem, agentItem } from '../transcript/history.ts';
import { userTurnLanguage, userTurnWords } from '../transcript/user-turn-text.ts';
import { hasChangingWords, openWordsEndMs } from '../user-speech/open-speech.ts';

/**
 * The clock of silence: while speech of the agent is pending (a generation or a tool runs), the user is never left in silence for
 * long.
 * The clock counts from the agent's last sound, announcements of tools and fillers included, and from the user's last words. A
 * cough and a backchannel do not move it: the user goes on waiting.
 */

/** A user who hears nothing for 3.5 s asks whether the agent is still there; the voice takes up to 0.5 s of this time. In ms. */
export const SILENCE_MS = 3_000;
/** From the end of a filler to the next one, in ms: 8 to 10 s with the voice's time. Sooner, fillers are a nuisance. */
const REPEAT_MS = 8_500;
/** An answer usually begins within this time of its request or of its first token, in ms: a filler would delay it. */
const ANSWER_MS = 1_000;
/** A user who speaks again after this long has waited for the answer; sooner, they only go on. In ms. */
const WAITED_MS_MIN = 2_000;
/** While the user speaks or the call is on hold, the clock is read again after this time, in ms. */
const RECHECK_MS = 1_000;
/**
 * A sound of this length without words is not the user's speech, if the transcriber sends words while they are spoken. In ms.
 */
const WORDLESS_SOUND_MS_MAX = 3_000;
/** The same for a transcriber that has sent no interims: the words of long speech come only after its end. In ms. */
const UNREPORTED_SOUND_MS_MAX = 10_000;

/** Starts, moves or stops the clock. Runs whenever speech becomes pending, and after each sound of the agent or pause for the user. */
export function watchSilence(step: RuleStep): void {
  const { fillers, reply } = step.context;
  if (!isSpeechPending(step.context)) {
    stopTimer(step);
    // A sound withholds the answer for a while.
    const isWithheld = reply?.pending?.phase === 'withheld';
    if (fillers.pendingSinceUs !== null && !isWithheld) changeFillers(step, { pendingSinceUs: null });
    return;
  }
  changeFillers(step, { pendingSinceUs: fillers.pendingSinceUs ?? step.nowUs });
  // The end of the speech starts the clock again.
  if (agentSpeaks(step.context)) stopTimer(step);
  else startTimer(step, leftMs(step));
}

/** The reply is withdrawn for more words of the user. If they had waited, the clock goes on from the first request. */
export function withdrawWait(step: RuleStep): void {
  const { unheardAnswers, userTurn } = step.context;
  if (hasWaited(step.context, userTurn.activityStartedUs ?? step.nowUs))
    step.change({ unheardAnswers: unheardAnswers + 1 });
  else changeFillers(step, { pendingSinceUs: null });
}

/** The user was silent for long after the first request, and has made a sound then. Nothing but fillers was heard. */
function hasWaited({ fillers }: CallContext, soundUs: number): boolean {
  const { afterFiller, agentSoundUs, pendingSinceUs } = fillers;
  if (pendingSinceUs === null || (agentSoundUs > pendingSinceUs && !afterFiller)) return false;
  return soundUs - pendingSinceUs >= WAITED_MS_MIN * 1000;
}

/** Says the filler if the user waits in silence; otherwise the clock is read again later. */
export function onFillerTimer(step: RuleStep): void {
  changeFillers(step, { isTimed: false });
  if (!isSpeechPending(step.context) || agentSpeaks(step.context)) return;
  const remainingMs = leftMs(step);
  if (remainingMs > 0) startTimer(step, remainingMs);
  else if (userWaits(step)) sayFiller(step);
  else startTimer(step, RECHECK_MS);
}

/** A generation or a tool runs, and a person waits for its words: a recording or a menu needs no filler. */
function isSpeechPending({ answeringMachine, decidedEnd, reply, runningTools }: CallContext): boolean {
  if (isMenu(answeringMachine) || answeringMachine.type === 'voicemail' || decidedEnd !== null) return false;
  // The user may still go on.
  if (reply?.pending != null && reply.pending.phase !== 'ended') return false;
  if (reply !== null && reply.followUp.type !== 'listen') return false;
  return runningTools.length > 0 || reply?.requestPending === true || reply?.generation != null;
}

function agentSpeaks({ reply }: CallContext): boolean {
  return reply?.segments.some((segment) => !segment.ended) === true;
}

function userWaits(step: RuleStep): boolean {
  const { context } = step;
  const { haltedSinceUs, idle, interruption, reply } = context;
  if (haltedSinceUs !== null || interruption?.status === 'tentative') return false;
  if (reply === null) return idle;
  // The turn has ended with these words: a sound that goes on is noise.
  if (reply.pending !== null) return true;
  // A user who says «okay» goes on waiting, and so does one whose words have not interrupted.
  return !isUserSpeaking(step) && (hasNothingToAnswer(context) || !hasChangingWords(context.userTurn.speech));
}

function isUserSpeaking({ context, nowUs }: RuleStep): boolean {
  const { failover, userTurn } = context;
  const { activityStartedUs, speaking } = userTurn;
  const soundMs = (nowUs - (activityStartedUs ?? nowUs)) / 1000;
  const { sendsInterims } = failover.transcriber;
  const isNoise = soundMs >= (sendsInterims === true ? WORDLESS_SOUND_MS_MAX : UNREPORTED_SOUND_MS_MAX);
  return speaking && !(isNoise && userTurnWords(userTurn).length === 0);
}

function hasNothingToAnswer(context: CallContext): boolean {
  const words = userTurnWords(context.userTurn);
  return words.length === 0 || callsAgent(words, languagePack(userTurnLanguage(context)));
}

/** Time until the filler is due, in ms. */
function leftMs(step: RuleStep): number {
  const { fillers, reply, userTurn } = step.context;
  // A statement after a filler is answered like any other.
  const goesOnWaiting = !fillers.afterFiller || hasNothingToAnswer(step.context);
  const waited = goesOnWaiting && hasWaited(step.context, userTurn.activityStartedUs ?? 0);
  const { pendingSinceUs } = fillers;
  // Words of a user who waits do not start the clock again.
  const wordsUs = waited ? Math.max(reply?.turn?.speechEndedUs ?? 0, pendingSinceUs ?? 0) : userWordsUs(step);
  const isRepeated = fillers.afterFiller && fillers.agentSoundUs >= wordsUs;
  const soundUs = Math.max(fillers.agentSoundUs, wordsUs);
  const askedUs = (waited ? reply?.generation?.requestedUs : null) ?? pendingSinceUs ?? 0;
  const answerUs = Math.max(askedUs, reply?.generation?.firstTokenUs ?? 0) + ANSWER_MS * 1000;
  const dueUs = Math.max(soundUs + (isRepeated ? REPEAT_MS : SILENCE_MS) * 1000, answerUs);
  return Math.max(0, Math.ceil((dueUs - step.nowUs) / 1000));
}

/** The end of the user's words that are answered, or that are to be answered. */
function userWordsUs(step: RuleStep): number {
  const { reply, userTurn } = step.context;
  const answeredUs = reply?.turn?.speechEndedUs ?? 0;
  const endMs = reply?.pending == null && hasNothingToAnswer(step.context) ? null : openWordsEndMs(userTurn.speech);
  return Math.max(answeredUs, endMs === null ? 0 : step.audioUs(endMs));
}

function sayFiller(step: RuleStep): void {
  // The reply that called the tool was interrupted, and no reply followed.
  if (step.context.reply === null) startReply(step, null);
  const { agent, counters, reply } = step.context;
  if (reply === null) return;
  const { thinkingFiller, toolFiller } = languagePack(agent.language);
  const isFirst = reply.generation === null ? reply.segments.length === 0 : reply.fillerSegments.length === 0;
  say(step, isFirst && (reply.turn ?? reply.pending) !== null ? thinkingFiller : toolFiller, itemOf(step, reply));
  const last = step.context.counters.segment;
  const said = Array.from({ length: last - counters.segment }, (_, index) => counters.segment + 1 + index);
  changeReply(step, { fillerSegments: [...reply.fillerSegments, ...said] });
}

/**
 * The history item of the filler: that of the tool call while its reply goes on, or a new one. An answer that has no text
 * yet moves after the filler: otherwise a retry would tell the model that its answer broke off.
 */
function itemOf(step: RuleStep, reply: Reply): number {
  const { generation } = reply;
  if (generation !== null) {
    const item = addAgentItem(step);
    const isMoved = agentItem(step.context, generation.item)?.text === '';
    if (isMoved) changeReply(step, { generation: { ...generation, item: addAgentItem(step) } });
    return item;
  }
  const tool = step.context.runningTools.at(-1);
  return tool?.reply === reply.number ? tool.item : addAgentItem(step);
}

function startTimer(step: RuleStep, delayMs: number): void {
  step.startTimer('filler', delayMs);
  changeFillers(step, { isTimed: true });
}

function stopTimer(step: RuleStep): void {
  if (!step.context.fillers.isTimed) return;
  step.stopTimer('filler');
  changeFillers(step, { isTimed: false });
}

function changeFillers(step: RuleStep, changed: Partial<FillersState>): void {
  step.change({ fillers: { ...step.context.fillers, ...changed } });
}
