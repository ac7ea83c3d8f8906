import { setup } from 'xstate';
import * as answers from '../answering-machine/detection.ts';
import * as machines from '../answering-machine/machine-turn.ts';
import type { CallCommand } from '../core/command.ts';
import type { CallContext } from '../core/context.ts';
import { type MachineEvent, type Rule, RuleStep } from '../core/step.ts';
import type { TimerName } from '../core/timer.ts';
import * as keys from '../dtmf/dtmf-entry.ts';
import { canSendDtmf, sendDtmf } from '../dtmf/send-dtmf.ts';
import { superviseTranscriber, superviseTranscriberInTransfer } from '../failover/transcriber-failover.ts';
import { onVoiceFailure } from '../failover/voice-failover.ts';
import { sayThinkingFiller } from '../fillers/thinking-filler.ts';
import { sayToolFiller } from '../fillers/tool-filler.ts';
import { discardEagerGeneration, onEagerModelEvent } from '../generation/eager-generation.ts';
import { onModelEvent, onModelTimer, startGeneration } from '../generation/generation.ts';
import { evaluateInterruption } from '../interruption/interruption.ts';
import * as lifecycle from '../lifecycle/lifecycle.ts';
import * as cut from '../playout/drop-reply.ts';
import * as playout from '../playout/playout.ts';
import * as sayings from '../playout/queued-speech.ts';
import * as reply from '../playout/reply.ts';
import * as presence from '../presence/presence-check.ts';
import { onSummaryResult } from '../summary/summary.ts';
import { onToolResult } from '../tools/tool-results.ts';
import * as transfer from '../transfer/transfer.ts';
import { onUserSpeech } from '../turn-detection/user-turn.ts';
import * as turns from '../turn-taking/turn-taking.ts';
import { onExtractionResult } from '../variable-extraction/extraction.ts';

const base = setup({
  types: {} as { context: CallContext; input: CallContext; events: MachineEvent; meta: { readonly name: string } },
  actions: {
    /** Never executed: the core reads the params of those that a transition returns. */
    command: (_, _command: CallCommand) => {},
  },
});

/** A rule as an action of the machine: pure, like the transition that it is part of. */
export function doing(rule: Rule) {
  return base.enqueueActions(({ context, event, enqueue }) => {
    const step = new RuleStep(context, event, event.moment);
    rule(step);
    // Given as a function: an object would be copied key by key.
    if (step.context !== context) enqueue.assign(() => step.context);
    for (const command of step.commands) enqueue({ type: 'command', params: command });
    for (const raised of step.raised) enqueue.raise({ ...raised, moment: event.moment });
  });
}

/** The machine's vocabulary: what its regions can do, and what they can ask. */
export const callSetup = base.extend({
  actions: {
    prepareCall: doing(lifecycle.prepareCall),
    onAnswered: doing(lifecycle.onAnswered),
    decideEnd: doing(lifecycle.decideEnd),
    onBridged: doing(lifecycle.onBridged),
    onBridgedEnd: doing(lifecycle.onBridgedEnd),
    startEnding: doing(lifecycle.startEnding),
    hangUpLeg: doing(lifecycle.hangUpLeg),
    closeCall: doing(lifecycle.closeCall),
    stopConversation: doing(lifecycle.stopConversation),
    superviseTranscriber: doing(superviseTranscriber),
    superviseTranscriberInTransfer: doing(superviseTranscriberInTransfer),
    addNote: doing(lifecycle.addNote),
    setOnHold: doing(playout.setOnHold),
    onExtractionResult: doing(onExtractionResult),
    onSummaryResult: doing(onSummaryResult),
    startConversation: doing(turns.startConversation),
    greet: doing((step) => turns.greet(step)),
    makeGreetingPending: doing(turns.makeGreetingPending),
    onUserSpeech: doing(onUserSpeech),
    scheduleEndpoint: doing(turns.scheduleEndpoint),
    onEndpoint: doing(turns.onEndpoint),
    answerUserTurn: doing(turns.answerUserTurn),
    answerPendingResponse: doing(turns.answerPendingResponse),
    onDtmfDigit: doing(keys.onDtmfDigit),
    closeEntry: doing(keys.closeEntry),
    answerDtmf: doing(keys.answerDtmf),
    evaluateInterruption: doing(evaluateInterruption),
    startDetection: doing(answers.startDetection),
    updateDetection: doing(answers.updateDetection),
    onTone: doing(machines.onTone),
    stopCorrections: doing(answers.stopCorrections),
    greetSilentCallee: doing(turns.greetSilentCallee),
    startMachineTurn: doing(machines.startMachineTurn),
    scheduleMachineEnd: doing(machines.scheduleMachineEnd),
    finishMachineTurn: doing(machines.finishMachineTurn),
    answerMachine: doing(machines.answerMachine),
    waitForCallee: doing(machines.waitForCallee),
    sendDtmf: doing(sendDtmf),
    startGeneration: doing(startGeneration),
    onEagerModelEvent: doing(onEagerModelEvent),
    discardEagerGeneration: doing(discardEagerGeneration),
    onModelEvent: doing(onModelEvent),
    onModelTimer: doing(onModelTimer),
    sayThinkingFiller: doing(sayThinkingFiller),
    onToolResult: doing(onToolResult),
    sayToolFiller: doing(sayToolFiller),
    onPlayoutEvent: doing(playout.onPlayoutEvent),
    onVoiceFailure: doing(onVoiceFailure),
    onPlayoutTimeout: doing(playout.onPlayoutTimeout),
    pausePlayback: doing(playout.pausePlayback),
    resumePlayback: doing(playout.resumePlayback),
    finishReply: doing(reply.finishReply),
    dropReplyForDtmf: doing((step) => cut.dropReply(step, 'dtmf')),
    interruptReply: doing(cut.interruptReply),
    refineTruncation: doing(cut.refineTruncation),
    interruptForQueuedSpeech: doing(sayings.interruptForQueuedSpeech),
    queueSpeech: doing(sayings.queueSpeech),
    sayQueuedSpeech: doing(sayings.sayQueuedSpeech),
    beginTransfer: doing(transfer.beginTransfer),
    transferFailed: doing(transfer.transferFailed),
    bridgeInstead: doing(transfer.bridgeInstead),
    transferSucceeded: doing(transfer.transferSucceeded),
    becomeIdle: doing((step) => step.change({ idle: true })),
    becomeActive: doing((step) => step.change({ idle: false })),
    startPresenceTimer: doing(presence.startPresenceTimer),
    stopPresenceTimer: doing(presence.stopPresenceTimer),
    checkPresence: doing(presence.checkPresence),
    endForSilence: doing(presence.endForSilence),
  },
  guards: {
    isTimer: ({ event }, timer: TimerName) => event.type === 'timer' && event.timer === timer,
    userHasTurn: ({ context }) => turns.userHasTurn(context),
    userIsSilent: ({ context }) => !turns.userHasTurn(context),
    isUserTurnComplete: ({ context }) => turns.isUserTurnComplete(context),
    isMachineTurn: ({ context }) => machines.isMachineTurn(context),
    isGreetingPending: ({ context }) => turns.isGreetingPending(context),
    isMachineTurnOver: ({ context }) => context.answeringMachine.speech === 'finished',
    isAskedToHold: ({ context }) => machines.isAskedToHold(context),
    canSendDtmf: ({ context }) => canSendDtmf(context),
    isDtmfEntryPending: ({ context }) => keys.isDtmfEntryPending(context),
    dtmfInterrupts: ({ context }) => keys.dtmfInterrupts(context),
    isResponsePending: ({ context }) =>
      context.pendingResponse && context.runningTools.length === 0 && context.dtmf.openEntry === null,
    hasQueuedSpeech: ({ context }) => context.queuedSpeech.length > 0,
    sayInterrupts: ({ context, event }) =>
      event.type === 'call.say' && event.interrupt && context.reply?.interruptible === true,
    isReplyOver: ({ context }) => reply.isReplyOver(context),
    replyEndsCall: ({ context }) => reply.replyEndsCall(context),
    replyTransfers: ({ context }) => reply.replyTransfers(context),
    canBridgeInstead: ({ context, event }) => transfer.canBridgeInstead(context, event),
    /** Whatever was given to the voice has a sound. */
    isMute: ({ event }) => event.type === 'voice.done' && event.durationMs === 0,
    isAudible: ({ context }) => reply.isAudible(context),
    isInaudible: ({ context }) => !reply.isAudible(context),
    isTentative: ({ context }) => context.interruption?.status === 'tentative',
    isConfirmed: ({ context }) => context.interruption?.status === 'confirmed',
    isFalseInterruption: ({ context }) => context.interruption?.status === 'rejected',
    /** Where the floor is not the agent's, it was put there by another region, or by what befalls the call. */
    hasReply: ({ context }) => context.reply !== null,
    hasNoReply: ({ context }) => context.reply === null,
    isWaitingForUser: ({ context }) => presence.isWaitingForUser(context),
    isNotSilent: ({ context }) => !presence.isWaitingForUser(context),
    canCheckAgain: ({ context }) => presence.canCheckAgain(context),
    isSettled: ({ context }) => lifecycle.isSettled(context),
  },
});
