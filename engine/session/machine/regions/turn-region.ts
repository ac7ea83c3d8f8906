import { introductionPauseMs } from '../../../answering-machine/introduction-pause.ts';
import {
  answerMachine,
  finishMachineTurn,
  machineAsksToWait,
  machineHasFinished,
  machineHasTurn,
  scheduleMachineEnd,
  speakToSilentMenu,
  startMachineTurn,
  waitForCallee,
} from '../../../answering-machine/machine-turn.ts';
import { isReplyAudible } from '../../../core/reply-progress.ts';
import { closeDtmfEntry, isTypedEntryPending, onDtmfDigit, onTypedText } from '../../../dtmf/dtmf-entry.ts';
import { canSendDtmf, sendDtmf } from '../../../dtmf/send-dtmf.ts';
import { onEchoLearnt, onMediaSuspended } from '../../../echo/near-end-speech.ts';
import { onWordsLeftOut } from '../../../echo/words-before-activity.ts';
import {
  handleWordlessTurn,
  onTranscriberStreamEvent,
  onTranscriberStreamEventInTransfer,
} from '../../../failover/transcriber-failover.ts';
import { isSilentSegment, onVoiceFailure } from '../../../failover/voice-failover.ts';
import { onFillerTimer, watchSilence } from '../../../fillers/filler.ts';
import { askAhead } from '../../../generation/eager-generation.ts';
import { onModelEvent, onModelTimer, releaseGeneration, startGeneration } from '../../../generation/generation.ts';
import { typedEntryInterrupts } from '../../../interruption/interrupting-digits.ts';
import {
  evaluateInterruption,
  interruptBySpeech,
  isInterruptionConfirmed,
  isInterruptionRejected,
  isInterruptionTentative,
  waitAtEnd,
} from '../../../interruption/interruption.ts';
import { stopConversation } from '../../../lifecycle/lifecycle.ts';
import { onAgentEntryTimer } from '../../../playout/agent-entry.ts';
import { dropReplyForTypedEntry, refineTruncation } from '../../../playout/drop-reply.ts';
import { onPlayoutEvent, onPlayoutTimeout, pausePlayback, resumePlayback } from '../../../playout/playout.ts';
import {
  hasQueuedSpeech,
  interruptForQueuedSpeech,
  queueSpeech,
  queueTransfer,
  requestInterrupts,
  sayQueuedSpeech,
} from '../../../playout/queued-speech.ts';
import { finishReply, hasReply, isReplyOver, replyEndsCall, replyTransfers } from '../../../playout/reply.ts';
import { isReplyWithheld } from '../../../playout/withheld-reply.ts';
import { judgeTypedConsent, judgeTypedText, onAnnouncementPlayed } from '../../../recording/recording-consent.ts';
import { sayAwaitedFillers } from '../../../tools/awaited-filler.ts';
import { onToolResult } from '../../../tools/record-tool-result.ts';
import {
  beginTransfer,
  bridgeInstead,
  canBridgeInstead,
  transferFailed,
  transferSucceeded,
} from '../../../transfer/transfer.ts';
import { askEndOfTurnModel } from '../../../turn-detection/acoustic-end.ts';
import { onBackgroundSpeech } from '../../../turn-detection/background-speech.ts';
import { commitPendingTurn } from '../../../turn-detection/commit-turn.ts';
import { endpointing, isUserTurnComplete } from '../../../turn-detection/endpointing.ts';
import { onUserSpeech } from '../../../turn-detection/user-turn.ts';
import { answerTypedEntry } from '../../../turn-taking/answer-typed-entry.ts';
import { answerCorrection, isCorrectionDue } from '../../../turn-taking/correction.ts';
import { interruptAnswer } from '../../../turn-taking/interrupted-answer.ts';
import { leaveBackchannel, leaveLateBackchannel } from '../../../turn-taking/passed-backchannel.ts';
import {
  askWithToolResult,
  commitUnanswered,
  hasMoreWords,
  hasTypedEntryAfterRequest,
  isEndDecided,
  isReplyOutdated,
  isTurnPending,
  lacksToolResult,
  releaseReply,
  withdrawReply,
  withholdPartlyTranscribed,
  withholdReply,
} from '../../../turn-taking/pending-turn.ts';
import { asksDuringTool, leaveToolWait } from '../../../turn-taking/question-during-tool.ts';
import {
  answerPendingResponse,
  answerUserTurn,
  becomeActive,
  becomeIdle,
  isInitialMessagePending,
  isResponsePending,
  makeInitialMessagePending,
  sayInitialMessage,
  startConversation,
  userHasTurn,
} from '../../../turn-taking/turn-taking.ts';
import { action, callSetup, onTimer, unless, when } from './machine-setup.ts';

const { scheduleEndpoint, onEndpoint } = endpointing({
  leastPauseMs: introductionPauseMs,
  onScheduled: askAhead,
  onWordlessTurn: handleWordlessTurn,
});

/** Events of the user's speech. */
const USER_SPEECH_EVENTS = [
  'media.speech_started',
  'media.speech_stopped',
  'transcriber.interim',
  'transcriber.final',
  'transcriber.utterance_end',
  'transcriber.turn',
] as const;

function onSpeechEvents(...actions: ReturnType<typeof action>[]) {
  return Object.fromEntries(USER_SPEECH_EVENTS.map((type) => [type, { actions }]));
}

/** Events that decide on the end of the user turn. */
const onEndpointEvents = {
  ...onSpeechEvents(action(onUserSpeech), action(leaveLateBackchannel), action(scheduleEndpoint)),
  'media.background_speech_started': { actions: [action(onBackgroundSpeech), action(scheduleEndpoint)] },
  'media.background_speech_stopped': { actions: [action(onBackgroundSpeech), action(scheduleEndpoint)] },
  'end_of_turn.judged': { actions: [action(askEndOfTurnModel), action(scheduleEndpoint)] },
  'transcriber.failed': { actions: [action(onTranscriberStreamEvent), action(scheduleEndpoint)] },
  'transcriber.ready': { actions: [action(onTranscriberStreamEvent), action(scheduleEndpoint)] },
  timer: [
    { guard: onTimer('endpoint'), actions: action(onEndpoint) },
    { guard: onTimer('ask_ahead'), actions: action(scheduleEndpoint) },
    { guard: onTimer('transcriber'), actions: [action(onTranscriberStreamEvent), action(scheduleEndpoint)] },
  ],
};

const listening = callSetup.createStateConfig({
  entry: [action(becomeIdle), action(watchSilence)],
  exit: action(becomeActive),
  always: [
    { guard: when(machineHasTurn), target: 'machineSpeaking' },
    { guard: when(hasReply), target: 'replying' },
    { guard: when(isTypedEntryPending), target: 'replying', actions: action(answerTypedEntry) },
    { guard: when(userHasTurn), target: 'userSpeaking' },
    { guard: when(isCorrectionDue), target: 'replying', actions: action(answerCorrection) },
    { guard: when(isInitialMessagePending), target: 'replying', actions: action(sayInitialMessage) },
    { guard: when(hasQueuedSpeech), target: 'replying', actions: action(sayQueuedSpeech) },
    { guard: when(isResponsePending), target: 'replying', actions: action(answerPendingResponse) },
  ],
  on: onSpeechEvents(action(onUserSpeech), action(leaveLateBackchannel)),
});

const userSpeaking = callSetup.createStateConfig({
  entry: action(scheduleEndpoint),
  always: [
    { guard: when(machineHasTurn), target: 'machineSpeaking' },
    { guard: when(hasReply), target: 'replying' },
    { guard: when(isTypedEntryPending), target: 'replying', actions: action(answerTypedEntry) },
    { guard: when(machineAsksToWait), target: 'listening', actions: action(waitForCallee) },
    { guard: when(isUserTurnComplete), target: 'replying', actions: action(answerUserTurn) },
    { guard: unless(userHasTurn), target: 'listening' },
  ],
  on: onEndpointEvents,
});

/** A machine plays its greeting or menu and does not listen: the agent waits until it has finished. */
const machineSpeaking = callSetup.createStateConfig({
  entry: action(startMachineTurn),
  always: [
    { guard: when(hasReply), target: 'replying' },
    { guard: when(machineHasFinished), target: 'replying', actions: action(answerMachine) },
  ],
  on: {
    ...onSpeechEvents(action(onUserSpeech), action(scheduleMachineEnd)),
    timer: [
      { guard: onTimer('machine_silence'), actions: action(finishMachineTurn) },
      { guard: onTimer('machine_turn_limit'), actions: action(finishMachineTurn) },
    ],
  },
});

/** Transitions that end the agent's turn. Of all lists the first transition whose guard holds is taken. */
const ending = [
  { guard: when(machineHasTurn), target: '#call.turn.machineSpeaking' },
  {
    guard: when(typedEntryInterrupts),
    target: '#call.turn.replying',
    reenter: true,
    actions: [action(dropReplyForTypedEntry), action(answerTypedEntry)],
  },
  { guard: unless(hasReply), target: '#call.turn.listening' },
  { guard: when(asksDuringTool), target: '#call.turn.userSpeaking', actions: action(leaveToolWait) },
  { guard: when(isInterruptionConfirmed), target: '#call.turn.userSpeaking', actions: action(interruptAnswer) },
];

/** Transitions from `thinking` and `speaking`. */
const leaving = [
  ...ending,
  { guard: when(isInterruptionTentative), target: 'paused' },
  {
    guard: when(isCorrectionDue),
    target: '#call.turn.replying',
    reenter: true,
    actions: action(answerCorrection),
  },
  { guard: when(canSendDtmf), actions: action(sendDtmf) },
  { guard: when(replyEndsCall), target: '#call.turn.over', actions: action(finishReply) },
  {
    guard: when(replyTransfers),
    target: '#call.turn.transferring',
    actions: [action(commitPendingTurn), action(beginTransfer)],
  },
  { guard: when(isReplyOver), target: '#call.turn.listening', actions: action(finishReply) },
] as const;

/** Transitions from `thinking` before the answer is heard. */
const beforeHeard = [
  { guard: when(isEndDecided), actions: action(commitUnanswered) },
  { guard: when(isReplyWithheld), target: '#call.turn.replying.withheld' },
  { guard: when(hasMoreWords), target: '#call.turn.userSpeaking', actions: action(withdrawReply) },
  {
    guard: when(hasTypedEntryAfterRequest),
    target: '#call.turn.replying',
    reenter: true,
    actions: [action(withdrawReply), action(answerTypedEntry)],
  },
  { guard: when(lacksToolResult), actions: action(askWithToolResult) },
] as const;

const replying = callSetup.createStateConfig({
  initial: 'thinking',
  on: {
    ...onSpeechEvents(action(leaveBackchannel), action(onUserSpeech), action(evaluateInterruption)),
    'media.speech_lasted': { actions: action(evaluateInterruption) },
    'engine.generate': { actions: action(startGeneration) },
    'engine.extracted': { actions: action(sayAwaitedFillers) },
    'model.first_token': { actions: action(onModelEvent) },
    'model.sentence': { actions: action(onModelEvent) },
    'model.tool_call': { actions: action(onModelEvent) },
    'model.done': { actions: [action(onModelEvent), action(waitAtEnd)] },
    'model.failed': { actions: action(onModelEvent) },
    'voice.started': { actions: action(onPlayoutEvent) },
    'voice.words': { actions: action(onPlayoutEvent) },
    'voice.done': [
      { guard: when(isSilentSegment), actions: action(onVoiceFailure) },
      { actions: action(onPlayoutEvent) },
    ],
    'voice.failed': { actions: action(onVoiceFailure) },
    'media.segment_started': { actions: action(onPlayoutEvent) },
    'media.segment_ended': {
      actions: [action(onPlayoutEvent), action(onAnnouncementPlayed), action(watchSilence), action(waitAtEnd)],
    },
    'media.paused': { actions: action(onPlayoutEvent) },
    'media.resumed': { actions: action(onPlayoutEvent) },
    'call.say': [
      {
        guard: when(requestInterrupts),
        target: '#call.turn.listening',
        actions: [action(interruptForQueuedSpeech), action(queueSpeech)],
      },
      { actions: action(queueSpeech) },
    ],
    'call.transfer': [
      {
        guard: when(requestInterrupts),
        target: '#call.turn.listening',
        actions: [action(interruptForQueuedSpeech), action(queueTransfer)],
      },
      { actions: action(queueTransfer) },
    ],
    timer: [
      { guard: onTimer('agent_entry'), actions: action(onAgentEntryTimer) },
      { guard: onTimer('interruption'), actions: action(evaluateInterruption) },
      { guard: onTimer('generation'), actions: action(onModelTimer) },
      { guard: onTimer('awaited_variables'), actions: action(sayAwaitedFillers) },
      { guard: onTimer('voice'), actions: action(onVoiceFailure) },
      { guard: onTimer('playout'), actions: action(onPlayoutTimeout) },
    ],
  },
  states: {
    /** The model is asked, but the user may still go on: nothing of the answer may be heard. */
    withheld: {
      always: [
        { guard: when(machineHasTurn), target: '#call.turn.machineSpeaking' },
        { guard: unless(hasReply), target: '#call.turn.listening' },
        { guard: when(isEndDecided), target: 'thinking', actions: action(commitUnanswered) },
        // The first packet had left already.
        {
          guard: unless(isTurnPending),
          target: 'thinking',
          actions: [action(releaseGeneration), action(interruptBySpeech)],
        },
        { guard: when(isReplyOutdated), target: '#call.turn.userSpeaking', actions: action(withdrawReply) },
        { guard: when(isUserTurnComplete), target: 'thinking', actions: action(releaseReply) },
      ],
      on: {
        ...onEndpointEvents,
        'call.say': { actions: action(queueSpeech) },
        'call.transfer': { actions: action(queueTransfer) },
      },
    },
    thinking: {
      always: [...beforeHeard, ...leaving, { guard: when(isReplyAudible), target: 'speaking' }],
      on: {
        'media.speech_started': {
          guard: when(isTurnPending),
          target: 'withheld',
          actions: [action(onUserSpeech), action(withholdReply), action(scheduleEndpoint)],
        },
        'transcriber.failed': {
          guard: 'isAgentPresent',
          actions: [action(onTranscriberStreamEvent), action(withholdPartlyTranscribed)],
        },
      },
    },
    speaking: { always: [...leaving, { guard: unless(isReplyAudible), target: 'thinking' }] },
    paused: {
      entry: action(pausePlayback),
      always: [
        ...ending,
        {
          guard: when(isInterruptionRejected),
          target: 'thinking',
          actions: [action(resumePlayback), action(watchSilence)],
        },
      ],
    },
  },
});

/** Which party has the turn. */
export const turnRegion = callSetup.createStateConfig({
  initial: 'initializing',
  on: {
    'engine.conversation_over': { target: '.over', actions: action(stopConversation) },
    'tool.result': { actions: action(onToolResult) },
    'knowledge.result': { actions: action(onToolResult) },
    timer: [
      { guard: onTimer('initial_message'), actions: action(makeInitialMessagePending) },
      { guard: onTimer('dtmf_entry'), actions: action(closeDtmfEntry) },
      { guard: onTimer('filler'), actions: action(onFillerTimer) },
      { guard: onTimer('menu_wait'), actions: action(speakToSilentMenu) },
      { guard: onTimer('transcriber'), actions: action(onTranscriberStreamEvent) },
      { actions: action(onToolResult) },
    ],
    'call.say': { actions: action(queueSpeech) },
    'call.transfer': { actions: action(queueTransfer) },
    'media.cleared': { actions: action(refineTruncation) },
    'end_of_turn.judged': { actions: action(askEndOfTurnModel) },
    'media.echo_learnt': { actions: action(onEchoLearnt) },
    'media.suspended': { actions: action(onMediaSuspended) },
    'media.background_speech_started': { actions: action(onBackgroundSpeech) },
    'media.background_speech_stopped': { actions: action(onBackgroundSpeech) },
    'engine.words_left_out': { actions: action(onWordsLeftOut) },
    'media.dtmf': { guard: 'isAgentPresent', actions: [action(judgeTypedConsent), action(onDtmfDigit)] },
    'media.typed_text': { guard: 'isAgentPresent', actions: [action(judgeTypedText), action(onTypedText)] },
    'transcriber.failed': { guard: 'isAgentPresent', actions: action(onTranscriberStreamEvent) },
    'transcriber.ready': { guard: 'isAgentPresent', actions: action(onTranscriberStreamEvent) },
  },
  states: {
    initializing: { on: { 'engine.answered': { target: 'listening', actions: action(startConversation) } } },
    listening,
    userSpeaking,
    machineSpeaking,
    replying,
    /** The user is being transferred and hears the destination ring; their words are still recorded. */
    transferring: {
      entry: action(watchSilence),
      on: {
        ...onSpeechEvents(action(onUserSpeech)),
        'transcriber.failed': { actions: action(onTranscriberStreamEventInTransfer) },
        'control.transfer_succeeded': { actions: action(transferSucceeded) },
        'control.transfer_failed': [
          { guard: when(canBridgeInstead), actions: action(bridgeInstead) },
          { target: 'replying', actions: action(transferFailed) },
        ],
        timer: [
          { guard: onTimer('transfer'), target: 'replying', actions: action(transferFailed) },
          { guard: onTimer('transcriber'), actions: action(onTranscriberStreamEventInTransfer) },
        ],
      },
    },
    over: { type: 'final' },
  },
});
