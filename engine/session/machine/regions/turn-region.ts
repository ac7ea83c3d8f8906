import {
  answerMachine,
  finishMachineTurn,
  isAskedToWait,
  isMachineTurn,
  isMachineTurnOver,
  scheduleMachineEnd,
  startMachineTurn,
  waitForCallee,
} from '../../../answering-machine/machine-turn.ts';
import { closeEntry, dtmfInterrupts, isDtmfEntryPending, onDtmfDigit } from '../../../dtmf/dtmf-entry.ts';
import { canSendDtmf, sendDtmf } from '../../../dtmf/send-dtmf.ts';
import { superviseTranscriber, superviseTranscriberInTransfer } from '../../../failover/transcriber-failover.ts';
import { isSilentSegment, onVoiceFailure } from '../../../failover/voice-failover.ts';
import { sayThinkingFiller } from '../../../fillers/thinking-filler.ts';
import { sayToolFiller } from '../../../fillers/tool-filler.ts';
import { discardEagerGeneration, onEagerModelEvent } from '../../../generation/eager-generation.ts';
import { onModelEvent, onModelTimer, startGeneration } from '../../../generation/generation.ts';
import {
  evaluateInterruption,
  isConfirmed,
  isFalseInterruption,
  isTentative,
} from '../../../interruption/interruption.ts';
import { stopConversation } from '../../../lifecycle/lifecycle.ts';
import { dropReplyForDtmf, interruptReply, refineTruncation } from '../../../playout/drop-reply.ts';
import { onPlayoutEvent, onPlayoutTimeout, pausePlayback, resumePlayback } from '../../../playout/playout.ts';
import {
  hasQueuedSpeech,
  interruptForQueuedSpeech,
  queueSpeech,
  sayInterrupts,
  sayQueuedSpeech,
} from '../../../playout/queued-speech.ts';
import {
  finishReply,
  hasReply,
  isAudible,
  isReplyOver,
  replyEndsCall,
  replyTransfers,
} from '../../../playout/reply.ts';
import { onToolResult } from '../../../tools/record-tool-result.ts';
import {
  beginTransfer,
  bridgeInstead,
  canBridgeInstead,
  transferFailed,
  transferSucceeded,
} from '../../../transfer/transfer.ts';
import { onUserSpeech } from '../../../turn-detection/user-turn.ts';
import { answerDtmf } from '../../../turn-taking/answer-dtmf.ts';
import {
  answerPendingResponse,
  answerUserTurn,
  becomeActive,
  becomeIdle,
  greetNow,
  isGreetingPending,
  isResponsePending,
  isUserTurnComplete,
  makeGreetingPending,
  onEndpoint,
  scheduleEndpoint,
  startConversation,
  userHasTurn,
} from '../../../turn-taking/turn-taking.ts';
import { callSetup, doing, onTimer, unless, when } from './machine-setup.ts';

/** Events of the user's speech. */
const USER_SPEECH_EVENTS = [
  'media.speech_started',
  'media.speech_stopped',
  'transcriber.interim',
  'transcriber.final',
  'transcriber.utterance_end',
  'transcriber.turn',
] as const;

function onSpeechEvents(...actions: ReturnType<typeof doing>[]) {
  return Object.fromEntries(USER_SPEECH_EVENTS.map((type) => [type, { actions }]));
}

const listening = callSetup.createStateConfig({
  entry: [doing(becomeIdle), doing(discardEagerGeneration)],
  exit: doing(becomeActive),
  always: [
    { guard: when(isMachineTurn), target: 'machineSpeaking' },
    { guard: when(hasReply), target: 'replying' },
    { guard: when(isDtmfEntryPending), target: 'replying', actions: doing(answerDtmf) },
    { guard: when(userHasTurn), target: 'userSpeaking' },
    { guard: when(isGreetingPending), target: 'replying', actions: doing(greetNow) },
    { guard: when(hasQueuedSpeech), target: 'replying', actions: doing(sayQueuedSpeech) },
    { guard: when(isResponsePending), target: 'replying', actions: doing(answerPendingResponse) },
  ],
  on: onSpeechEvents(doing(onUserSpeech)),
});

const userSpeaking = callSetup.createStateConfig({
  entry: doing(scheduleEndpoint),
  always: [
    { guard: when(isMachineTurn), target: 'machineSpeaking' },
    { guard: when(hasReply), target: 'replying' },
    { guard: when(isDtmfEntryPending), target: 'replying', actions: doing(answerDtmf) },
    { guard: when(isAskedToWait), target: 'listening', actions: doing(waitForCallee) },
    { guard: when(isUserTurnComplete), target: 'replying', actions: doing(answerUserTurn) },
    { guard: unless(userHasTurn), target: 'listening' },
  ],
  on: {
    ...onSpeechEvents(doing(onUserSpeech), doing(scheduleEndpoint)),
    'model.first_token': { actions: doing(onEagerModelEvent) },
    'model.sentence': { actions: doing(onEagerModelEvent) },
    'model.tool_call': { actions: doing(onEagerModelEvent) },
    'model.done': { actions: doing(onEagerModelEvent) },
    'model.failed': { actions: doing(onEagerModelEvent) },
    'transcriber.failed': { actions: [doing(superviseTranscriber), doing(scheduleEndpoint)] },
    'transcriber.ready': { actions: [doing(superviseTranscriber), doing(scheduleEndpoint)] },
    timer: [
      { guard: onTimer('endpoint'), actions: doing(onEndpoint) },
      { guard: onTimer('transcriber'), actions: [doing(superviseTranscriber), doing(scheduleEndpoint)] },
    ],
  },
});

/** A machine plays its greeting or menu and does not listen: the agent waits until it has finished. */
const machineSpeaking = callSetup.createStateConfig({
  entry: [doing(discardEagerGeneration), doing(startMachineTurn)],
  always: [
    { guard: when(hasReply), target: 'replying' },
    { guard: when(isMachineTurnOver), target: 'replying', actions: doing(answerMachine) },
  ],
  on: {
    ...onSpeechEvents(doing(onUserSpeech), doing(scheduleMachineEnd)),
    timer: [
      { guard: onTimer('machine_silence'), actions: doing(finishMachineTurn) },
      { guard: onTimer('machine_turn_limit'), actions: doing(finishMachineTurn) },
    ],
  },
});

/** What can end the agent's turn from `thinking` and `speaking`, the first that holds. */
const leaving = [
  { guard: when(isMachineTurn), target: '#call.turn.machineSpeaking' },
  {
    guard: when(dtmfInterrupts),
    target: '#call.turn.replying',
    reenter: true,
    actions: [doing(dropReplyForDtmf), doing(answerDtmf)],
  },
  { guard: unless(hasReply), target: '#call.turn.listening' },
  { guard: when(isConfirmed), target: '#call.turn.userSpeaking', actions: doing(interruptReply) },
  { guard: when(isTentative), target: 'paused' },
  { guard: when(canSendDtmf), actions: doing(sendDtmf) },
  { guard: when(replyEndsCall), target: '#call.turn.over', actions: doing(finishReply) },
  { guard: when(replyTransfers), target: '#call.turn.transferring', actions: doing(beginTransfer) },
  { guard: when(isReplyOver), target: '#call.turn.listening', actions: doing(finishReply) },
] as const;

const replying = callSetup.createStateConfig({
  initial: 'thinking',
  // Where the turn was answered with it, there is none left.
  entry: doing(discardEagerGeneration),
  on: {
    ...onSpeechEvents(doing(onUserSpeech), doing(evaluateInterruption)),
    'engine.generate': { actions: doing(startGeneration) },
    'model.first_token': { actions: doing(onModelEvent) },
    'model.sentence': { actions: doing(onModelEvent) },
    'model.tool_call': { actions: doing(onModelEvent) },
    'model.done': { actions: doing(onModelEvent) },
    'model.failed': { actions: doing(onModelEvent) },
    'voice.started': { actions: doing(onPlayoutEvent) },
    'voice.words': { actions: doing(onPlayoutEvent) },
    'voice.done': [
      { guard: when(isSilentSegment), actions: doing(onVoiceFailure) },
      { actions: doing(onPlayoutEvent) },
    ],
    'voice.failed': { actions: doing(onVoiceFailure) },
    'media.segment_started': { actions: doing(onPlayoutEvent) },
    'media.segment_ended': { actions: doing(onPlayoutEvent) },
    'media.paused': { actions: doing(onPlayoutEvent) },
    'call.say': [
      {
        guard: when(sayInterrupts),
        target: '#call.turn.listening',
        actions: [doing(interruptForQueuedSpeech), doing(queueSpeech)],
      },
      { actions: doing(queueSpeech) },
    ],
    timer: [
      { guard: onTimer('interruption'), actions: doing(evaluateInterruption) },
      { guard: onTimer('generation'), actions: doing(onModelTimer) },
      { guard: onTimer('thinking_filler'), actions: doing(sayThinkingFiller) },
      { guard: onTimer('voice'), actions: doing(onVoiceFailure) },
      { guard: onTimer('playout'), actions: doing(onPlayoutTimeout) },
    ],
  },
  states: {
    thinking: { always: [...leaving, { guard: when(isAudible), target: 'speaking' }] },
    speaking: { always: [...leaving, { guard: unless(isAudible), target: 'thinking' }] },
    paused: {
      entry: doing(pausePlayback),
      always: [
        { guard: when(isMachineTurn), target: '#call.turn.machineSpeaking' },
        {
          guard: when(dtmfInterrupts),
          target: '#call.turn.replying',
          reenter: true,
          actions: [doing(dropReplyForDtmf), doing(answerDtmf)],
        },
        { guard: unless(hasReply), target: '#call.turn.listening' },
        { guard: when(isConfirmed), target: '#call.turn.userSpeaking', actions: doing(interruptReply) },
        { guard: when(isFalseInterruption), target: 'thinking', actions: doing(resumePlayback) },
      ],
    },
  },
});

/** Who speaks. */
export const turnRegion = callSetup.createStateConfig({
  initial: 'initializing',
  on: {
    'engine.conversation_over': { target: '.over', actions: doing(stopConversation) },
    'tool.result': { actions: doing(onToolResult) },
    'knowledge.result': { actions: doing(onToolResult) },
    timer: [
      { guard: onTimer('initial_message'), actions: doing(makeGreetingPending) },
      { guard: onTimer('dtmf_entry'), actions: doing(closeEntry) },
      { guard: onTimer('tool_filler'), actions: doing(sayToolFiller) },
      { guard: onTimer('transcriber'), actions: doing(superviseTranscriber) },
      { actions: doing(onToolResult) },
    ],
    'call.say': { actions: doing(queueSpeech) },
    'media.cleared': { actions: doing(refineTruncation) },
    'media.dtmf': { guard: 'isAgentPresent', actions: doing(onDtmfDigit) },
    'transcriber.failed': { guard: 'isAgentPresent', actions: doing(superviseTranscriber) },
    'transcriber.ready': { guard: 'isAgentPresent', actions: doing(superviseTranscriber) },
  },
  states: {
    initializing: { on: { 'engine.answered': { target: 'listening', actions: doing(startConversation) } } },
    listening,
    userSpeaking,
    machineSpeaking,
    replying,
    /** The user is being transferred and hears the destination ring; their words are still recorded. */
    transferring: {
      on: {
        ...onSpeechEvents(doing(onUserSpeech)),
        'transcriber.failed': { actions: doing(superviseTranscriberInTransfer) },
        'control.transfer_succeeded': { actions: doing(transferSucceeded) },
        'control.transfer_failed': [
          { guard: when(canBridgeInstead), actions: doing(bridgeInstead) },
          { target: 'replying', actions: doing(transferFailed) },
        ],
        timer: [
          { guard: onTimer('transfer'), target: 'replying', actions: doing(transferFailed) },
          { guard: onTimer('transcriber'), actions: doing(superviseTranscriberInTransfer) },
        ],
      },
    },
    over: { type: 'final' },
  },
});
