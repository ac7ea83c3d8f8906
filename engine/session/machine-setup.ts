import { setup } from 'xstate';
import * as answers from '../answering-machine/detection.ts';
import * as machines from '../answering-machine/machine-turn.ts';
import type { CallCommand } from '../core/command.ts';
import type { CallContext } from '../core/context.ts';
import { type MachineEvent, type Rule, Step } from '../core/step.ts';
import * as keys from '../dtmf/dtmf-entry.ts';
import { keysAreDue, pressKeys } from '../dtmf/send-dtmf.ts';
import { keepListening, keepListeningMeanwhile } from '../failover/transcriber-failover.ts';
import { voiceFailed } from '../failover/voice-failover.ts';
import { sayOneMoment } from '../fillers/thinking-filler.ts';
import { sayStillBusy } from '../fillers/tool-filler.ts';
import { endEager, takeEagerEvent } from '../generation/eager-generation.ts';
import { ask, modelTimedOut, takeModelEvent } from '../generation/generation.ts';
import { judgeInterruption } from '../interruption/interruption.ts';
import * as lifecycle from '../lifecycle/lifecycle.ts';
import * as cut from '../playout/drop-reply.ts';
import * as playout from '../playout/playout.ts';
import * as sayings from '../playout/queued-speech.ts';
import * as reply from '../playout/reply.ts';
import * as presence from '../presence/presence-check.ts';
import { endSummary } from '../summary/summary.ts';
import { takeResult } from '../tools/tool-results.ts';
import * as transfer from '../transfer/transfer.ts';
import { hear } from '../turn-detection/user-turn.ts';
import * as turns from '../turn-taking/turn-taking.ts';
import { endExtraction } from '../variable-extraction/extraction.ts';

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
    const step = new Step(context, event, event.moment);
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
    prepare: doing(lifecycle.prepare),
    answered: doing(lifecycle.answered),
    decideEnd: doing(lifecycle.decideEnd),
    beginBridged: doing(lifecycle.beginBridged),
    endBridged: doing(lifecycle.endBridged),
    windUp: doing(lifecycle.windUp),
    letGo: doing(lifecycle.letGo),
    close: doing(lifecycle.close),
    fallSilent: doing(lifecycle.fallSilent),
    keepListening: doing(keepListening),
    keepListeningMeanwhile: doing(keepListeningMeanwhile),
    takeNote: doing(lifecycle.takeNote),
    setHeld: doing(playout.setHeld),
    endExtraction: doing(endExtraction),
    endSummary: doing(endSummary),
    beginTalk: doing(turns.beginTalk),
    greet: doing((step) => turns.greet(step)),
    oweGreeting: doing(turns.oweGreeting),
    hear: doing(hear),
    scheduleEndpoint: doing(turns.scheduleEndpoint),
    endpointReached: doing(turns.endpointReached),
    answerTurn: doing(turns.answerTurn),
    answerOwed: doing(turns.answerOwed),
    pressKey: doing(keys.pressKey),
    endEntry: doing(keys.endEntry),
    answerDigits: doing(keys.answerDigits),
    judgeInterruption: doing(judgeInterruption),
    beginWatch: doing(answers.beginWatch),
    watchAnswer: doing(answers.watchAnswer),
    takeTone: doing(machines.takeTone),
    endWatch: doing(answers.endWatch),
    speakFirst: doing(turns.speakFirst),
    attend: doing(machines.attend),
    scheduleMachine: doing(machines.scheduleMachine),
    machineIsDone: doing(machines.machineIsDone),
    answerMachine: doing(machines.answerMachine),
    waitForOther: doing(machines.waitForOther),
    pressKeys: doing(pressKeys),
    ask: doing(ask),
    takeEagerEvent: doing(takeEagerEvent),
    endEager: doing(endEager),
    takeModelEvent: doing(takeModelEvent),
    modelTimedOut: doing(modelTimedOut),
    sayOneMoment: doing(sayOneMoment),
    takeResult: doing(takeResult),
    sayStillBusy: doing(sayStillBusy),
    takePlayoutEvent: doing(playout.takePlayoutEvent),
    voiceFailed: doing(voiceFailed),
    playoutStuck: doing(playout.playoutStuck),
    hold: doing(playout.hold),
    playOn: doing(playout.playOn),
    finishReply: doing(reply.finishReply),
    dropForKeys: doing((step) => cut.dropReply(step, 'keys')),
    interruptReply: doing(cut.interruptReply),
    refineCut: doing(cut.refineCut),
    makeWay: doing(sayings.makeWay),
    queueSaying: doing(sayings.queueSaying),
    saySayings: doing(sayings.saySayings),
    beginTransfer: doing(transfer.beginTransfer),
    transferFailed: doing(transfer.transferFailed),
    bridgeInstead: doing(transfer.bridgeInstead),
    transferSucceeded: doing(transfer.transferSucceeded),
    floorIsFree: doing((step) => step.change({ quiet: true })),
    floorIsTaken: doing((step) => step.change({ quiet: false })),
    startSilence: doing(presence.startSilence),
    stopSilence: doing(presence.stopSilence),
    askPresence: doing(presence.askPresence),
    endInSilence: doing(presence.endInSilence),
  },
  guards: {
    isTimer: ({ event }, timer: string) => event.type === 'timer' && event.timer === timer,
    callerHasFloor: ({ context }) => turns.callerHasFloor(context),
    callerIsSilent: ({ context }) => !turns.callerHasFloor(context),
    turnIsDue: ({ context }) => turns.turnIsDue(context),
    attendsMachine: ({ context }) => machines.attendsMachine(context),
    owesGreeting: ({ context }) => turns.owesGreeting(context),
    isMachineDone: ({ context }) => context.answer.machine === 'done',
    isToldToHold: ({ context }) => machines.isToldToHold(context),
    keysAreDue: ({ context }) => keysAreDue(context),
    digitsAreDue: ({ context }) => keys.digitsAreDue(context),
    digitsInterrupt: ({ context }) => keys.digitsInterrupt(context),
    isOwed: ({ context }) => context.owed && context.tools.length === 0 && context.digits.pressed === null,
    hasSayings: ({ context }) => context.sayings.length > 0,
    interrupts: ({ context, event }) =>
      event.type === 'call.say' && event.interrupt && context.reply?.interruptible === true,
    replyIsOver: ({ context }) => reply.isReplyOver(context),
    replyEndsCall: ({ context }) => reply.replyEndsCall(context),
    replyTransfers: ({ context }) => reply.replyTransfers(context),
    canBridgeInstead: ({ context, event }) => transfer.canBridgeInstead(context, event),
    /** Whatever was given to the voice has a sound. */
    isMute: ({ event }) => event.type === 'voice.done' && event.durationMs === 0,
    isAudible: ({ context }) => reply.isAudible(context),
    isInaudible: ({ context }) => !reply.isAudible(context),
    isTentative: ({ context }) => context.interruption?.verdict === 'open',
    isConfirmed: ({ context }) => context.interruption?.verdict === 'confirmed',
    isUndone: ({ context }) => context.interruption?.verdict === 'undone',
    /** Where the floor is not the agent's, it was put there by another region, or by what befalls the call. */
    hasReply: ({ context }) => context.reply !== null,
    isGone: ({ context }) => context.reply === null,
    countsSilence: ({ context }) => presence.countsSilence(context),
    isNotSilent: ({ context }) => !presence.countsSilence(context),
    mayAskAgain: ({ context }) => presence.mayAskAgain(context),
    isSettled: ({ context }) => lifecycle.isSettled(context),
  },
});
