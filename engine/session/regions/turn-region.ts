import { not, stateIn } from 'xstate';
import type { TimerName } from '../../core/timer.ts';
import { callSetup } from '../machine-setup.ts';

/** What is heard of the caller, in every state in which somebody listens. */
const USER_SPEECH_EVENTS = [
  'media.speech_started',
  'media.speech_stopped',
  'transcriber.interim',
  'transcriber.final',
  'transcriber.utterance_end',
  'transcriber.turn',
] as const;

function onUserSpeech<A extends 'onUserSpeech' | 'scheduleEndpoint' | 'evaluateInterruption' | 'scheduleMachineEnd'>(
  ...actions: readonly A[]
) {
  return Object.fromEntries(USER_SPEECH_EVENTS.map((type) => [type, { actions: [...actions] }]));
}

function timer(name: TimerName) {
  return { type: 'isTimer' as const, params: name };
}

const listening = callSetup.createStateConfig({
  entry: ['becomeIdle', 'discardEagerGeneration'],
  exit: 'becomeActive',
  always: [
    { guard: 'isMachineTurn', target: 'machineSpeaking' },
    { guard: 'hasReply', target: 'replying' },
    { guard: 'isDtmfEntryPending', target: 'replying', actions: 'answerDtmf' },
    { guard: 'userHasTurn', target: 'userSpeaking' },
    { guard: 'isGreetingPending', target: 'replying', actions: 'greet' },
    { guard: 'hasQueuedSpeech', target: 'replying', actions: 'sayQueuedSpeech' },
    { guard: 'isResponsePending', target: 'replying', actions: 'answerPendingResponse' },
  ],
  on: onUserSpeech('onUserSpeech'),
});

const userSpeaking = callSetup.createStateConfig({
  entry: 'scheduleEndpoint',
  always: [
    { guard: 'isMachineTurn', target: 'machineSpeaking' },
    { guard: 'hasReply', target: 'replying' },
    { guard: 'isDtmfEntryPending', target: 'replying', actions: 'answerDtmf' },
    { guard: 'isAskedToHold', target: 'listening', actions: 'waitForCallee' },
    { guard: 'isUserTurnComplete', target: 'replying', actions: 'answerUserTurn' },
    { guard: 'userIsSilent', target: 'listening' },
  ],
  on: {
    ...onUserSpeech('onUserSpeech', 'scheduleEndpoint'),
    'model.first_token': { actions: 'onEagerModelEvent' },
    'model.sentence': { actions: 'onEagerModelEvent' },
    'model.tool_call': { actions: 'onEagerModelEvent' },
    'model.done': { actions: 'onEagerModelEvent' },
    'model.failed': { actions: 'onEagerModelEvent' },
    'transcriber.failed': { actions: ['superviseTranscriber', 'scheduleEndpoint'] },
    'transcriber.ready': { actions: ['superviseTranscriber', 'scheduleEndpoint'] },
    timer: [
      { guard: timer('endpoint'), actions: 'onEndpoint' },
      { guard: timer('transcriber'), actions: ['superviseTranscriber', 'scheduleEndpoint'] },
    ],
  },
});

/** A machine talks that hears nobody: its greeting or menu is listened to until it is done. */
const machineSpeaking = callSetup.createStateConfig({
  entry: ['discardEagerGeneration', 'startMachineTurn'],
  always: [
    { guard: 'hasReply', target: 'replying' },
    { guard: 'isMachineTurnOver', target: 'replying', actions: 'answerMachine' },
  ],
  on: {
    ...onUserSpeech('onUserSpeech', 'scheduleMachineEnd'),
    timer: [
      { guard: timer('machine_silence'), actions: 'finishMachineTurn' },
      { guard: timer('machine_turn_limit'), actions: 'finishMachineTurn' },
    ],
  },
});

/** What can end the agent's turn from `thinking` and `speaking`, the first that holds. */
const leaving = [
  { guard: 'isMachineTurn', target: '#call.turn.machineSpeaking' },
  {
    guard: 'dtmfInterrupts',
    target: '#call.turn.replying',
    reenter: true,
    actions: ['dropReplyForDtmf', 'answerDtmf'],
  },
  { guard: 'hasNoReply', target: '#call.turn.listening' },
  { guard: 'isConfirmed', target: '#call.turn.userSpeaking', actions: 'interruptReply' },
  { guard: 'isTentative', target: 'paused' },
  { guard: 'canSendDtmf', actions: 'sendDtmf' },
  { guard: 'replyEndsCall', target: '#call.turn.over', actions: 'finishReply' },
  { guard: 'replyTransfers', target: '#call.turn.transferring', actions: 'beginTransfer' },
  { guard: 'isReplyOver', target: '#call.turn.listening', actions: 'finishReply' },
] as const;

const replying = callSetup.createStateConfig({
  initial: 'thinking',
  // Where the turn was answered with it, there is none left.
  entry: 'discardEagerGeneration',
  on: {
    ...onUserSpeech('onUserSpeech', 'evaluateInterruption'),
    'engine.generate': { actions: 'startGeneration' },
    'model.first_token': { actions: 'onModelEvent' },
    'model.sentence': { actions: 'onModelEvent' },
    'model.tool_call': { actions: 'onModelEvent' },
    'model.done': { actions: 'onModelEvent' },
    'model.failed': { actions: 'onModelEvent' },
    'voice.started': { actions: 'onPlayoutEvent' },
    'voice.words': { actions: 'onPlayoutEvent' },
    'voice.done': [{ guard: 'isMute', actions: 'onVoiceFailure' }, { actions: 'onPlayoutEvent' }],
    'voice.failed': { actions: 'onVoiceFailure' },
    'media.segment_started': { actions: 'onPlayoutEvent' },
    'media.segment_ended': { actions: 'onPlayoutEvent' },
    'media.paused': { actions: 'onPlayoutEvent' },
    'call.say': [
      { guard: 'sayInterrupts', target: '#call.turn.listening', actions: ['interruptForQueuedSpeech', 'queueSpeech'] },
      { actions: 'queueSpeech' },
    ],
    timer: [
      { guard: timer('interruption'), actions: 'evaluateInterruption' },
      { guard: timer('generation'), actions: 'onModelTimer' },
      { guard: timer('thinking_filler'), actions: 'sayThinkingFiller' },
      { guard: timer('voice'), actions: 'onVoiceFailure' },
      { guard: timer('playout'), actions: 'onPlayoutTimeout' },
    ],
  },
  states: {
    thinking: { always: [...leaving, { guard: 'isAudible', target: 'speaking' }] },
    speaking: { always: [...leaving, { guard: 'isInaudible', target: 'thinking' }] },
    paused: {
      entry: 'pausePlayback',
      always: [
        { guard: 'isMachineTurn', target: '#call.turn.machineSpeaking' },
        {
          guard: 'dtmfInterrupts',
          target: '#call.turn.replying',
          reenter: true,
          actions: ['dropReplyForDtmf', 'answerDtmf'],
        },
        { guard: 'hasNoReply', target: '#call.turn.listening' },
        { guard: 'isConfirmed', target: '#call.turn.userSpeaking', actions: 'interruptReply' },
        { guard: 'isFalseInterruption', target: 'thinking', actions: 'resumePlayback' },
      ],
    },
  },
});

/** A caller who was bridged may key in a card's number for whoever asks for it, and nothing is said to them any more. */
const isAgentThere = not(stateIn({ turn: 'over' }));

/** Who speaks. */
export const turnRegion = callSetup.createStateConfig({
  initial: 'initializing',
  on: {
    'engine.conversation_over': { target: '.over', actions: 'stopConversation' },
    'tool.result': { actions: 'onToolResult' },
    'knowledge.result': { actions: 'onToolResult' },
    timer: [
      { guard: timer('initial_message'), actions: 'makeGreetingPending' },
      { guard: timer('dtmf_entry'), actions: 'closeEntry' },
      { guard: timer('tool_filler'), actions: 'sayToolFiller' },
      { guard: timer('transcriber'), actions: 'superviseTranscriber' },
      { actions: 'onToolResult' },
    ],
    'call.say': { actions: 'queueSpeech' },
    'media.cleared': { actions: 'refineTruncation' },
    'media.dtmf': { guard: isAgentThere, actions: 'onDtmfDigit' },
    'transcriber.failed': { guard: isAgentThere, actions: 'superviseTranscriber' },
    'transcriber.ready': { guard: isAgentThere, actions: 'superviseTranscriber' },
  },
  states: {
    initializing: { on: { 'engine.answered': { target: 'listening', actions: 'startConversation' } } },
    listening,
    userSpeaking,
    machineSpeaking,
    replying,
    /** The caller is being handed over; they hear what the other side plays, and what they say is still kept. */
    transferring: {
      on: {
        ...onUserSpeech('onUserSpeech'),
        'transcriber.failed': { actions: 'superviseTranscriberInTransfer' },
        'control.transfer_succeeded': { actions: 'transferSucceeded' },
        'control.transfer_failed': [
          { guard: 'canBridgeInstead', actions: 'bridgeInstead' },
          { target: 'replying', actions: 'transferFailed' },
        ],
        timer: [
          { guard: timer('transfer'), target: 'replying', actions: 'transferFailed' },
          { guard: timer('transcriber'), actions: 'superviseTranscriberInTransfer' },
        ],
      },
    },
    over: { type: 'final' },
  },
});
