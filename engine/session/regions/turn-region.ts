import { not, stateIn } from 'xstate';
import { callSetup } from '../machine-setup.ts';

/** What is heard of the caller, in every state in which somebody listens. */
const HEARD = [
  'media.speech_started',
  'media.speech_stopped',
  'transcriber.interim',
  'transcriber.final',
  'transcriber.utterance_end',
  'transcriber.turn',
] as const;

function hearing<A extends 'hear' | 'scheduleEndpoint' | 'judgeInterruption' | 'scheduleMachine'>(
  ...actions: readonly A[]
) {
  return Object.fromEntries(HEARD.map((type) => [type, { actions: [...actions] }]));
}

function timer(name: string) {
  return { type: 'isTimer' as const, params: name };
}

const listening = callSetup.createStateConfig({
  entry: ['floorIsFree', 'endEager'],
  exit: 'floorIsTaken',
  always: [
    { guard: 'attendsMachine', target: 'attending' },
    { guard: 'hasReply', target: 'replying' },
    { guard: 'digitsAreDue', target: 'replying', actions: 'answerDigits' },
    { guard: 'callerHasFloor', target: 'callerSpeaking' },
    { guard: 'owesGreeting', target: 'replying', actions: 'greet' },
    { guard: 'hasSayings', target: 'replying', actions: 'saySayings' },
    { guard: 'isOwed', target: 'replying', actions: 'answerOwed' },
  ],
  on: hearing('hear'),
});

const callerSpeaking = callSetup.createStateConfig({
  entry: 'scheduleEndpoint',
  always: [
    { guard: 'attendsMachine', target: 'attending' },
    { guard: 'hasReply', target: 'replying' },
    { guard: 'digitsAreDue', target: 'replying', actions: 'answerDigits' },
    { guard: 'isToldToHold', target: 'listening', actions: 'waitForOther' },
    { guard: 'turnIsDue', target: 'replying', actions: 'answerTurn' },
    { guard: 'callerIsSilent', target: 'listening' },
  ],
  on: {
    ...hearing('hear', 'scheduleEndpoint'),
    'model.first_token': { actions: 'takeEagerEvent' },
    'model.sentence': { actions: 'takeEagerEvent' },
    'model.tool_call': { actions: 'takeEagerEvent' },
    'model.done': { actions: 'takeEagerEvent' },
    'model.failed': { actions: 'takeEagerEvent' },
    'transcriber.failed': { actions: ['keepListening', 'scheduleEndpoint'] },
    'transcriber.ready': { actions: ['keepListening', 'scheduleEndpoint'] },
    timer: [
      { guard: timer('endpoint'), actions: 'endpointReached' },
      { guard: timer('transcriber'), actions: ['keepListening', 'scheduleEndpoint'] },
    ],
  },
});

/** A machine talks that hears nobody: its greeting or menu is listened to until it is done. */
const attending = callSetup.createStateConfig({
  entry: ['endEager', 'attend'],
  always: [
    { guard: 'hasReply', target: 'replying' },
    { guard: 'isMachineDone', target: 'replying', actions: 'answerMachine' },
  ],
  on: {
    ...hearing('hear', 'scheduleMachine'),
    timer: [
      { guard: timer('machine'), actions: 'machineIsDone' },
      { guard: timer('machine_latest'), actions: 'machineIsDone' },
    ],
  },
});

/** What can end the agent's turn from `thinking` and `speaking`, the first that holds. */
const leaving = [
  { guard: 'attendsMachine', target: '#call.floor.attending' },
  { guard: 'digitsInterrupt', target: '#call.floor.replying', reenter: true, actions: ['dropForKeys', 'answerDigits'] },
  { guard: 'isGone', target: '#call.floor.listening' },
  { guard: 'isConfirmed', target: '#call.floor.callerSpeaking', actions: 'interruptReply' },
  { guard: 'isTentative', target: 'paused' },
  { guard: 'keysAreDue', actions: 'pressKeys' },
  { guard: 'replyEndsCall', target: '#call.floor.over', actions: 'finishReply' },
  { guard: 'replyTransfers', target: '#call.floor.transferring', actions: 'beginTransfer' },
  { guard: 'replyIsOver', target: '#call.floor.listening', actions: 'finishReply' },
] as const;

const replying = callSetup.createStateConfig({
  initial: 'thinking',
  // Where the turn was answered with it, there is none left.
  entry: 'endEager',
  on: {
    ...hearing('hear', 'judgeInterruption'),
    'engine.ask': { actions: 'ask' },
    'model.first_token': { actions: 'takeModelEvent' },
    'model.sentence': { actions: 'takeModelEvent' },
    'model.tool_call': { actions: 'takeModelEvent' },
    'model.done': { actions: 'takeModelEvent' },
    'model.failed': { actions: 'takeModelEvent' },
    'voice.started': { actions: 'takePlayoutEvent' },
    'voice.words': { actions: 'takePlayoutEvent' },
    'voice.done': [{ guard: 'isMute', actions: 'voiceFailed' }, { actions: 'takePlayoutEvent' }],
    'voice.failed': { actions: 'voiceFailed' },
    'media.segment_started': { actions: 'takePlayoutEvent' },
    'media.segment_ended': { actions: 'takePlayoutEvent' },
    'media.paused': { actions: 'takePlayoutEvent' },
    'call.say': [
      { guard: 'interrupts', target: '#call.floor.listening', actions: ['makeWay', 'queueSaying'] },
      { actions: 'queueSaying' },
    ],
    timer: [
      { guard: timer('interruption'), actions: 'judgeInterruption' },
      { guard: timer('model'), actions: 'modelTimedOut' },
      { guard: timer('one_moment'), actions: 'sayOneMoment' },
      { guard: timer('voice'), actions: 'voiceFailed' },
      { guard: timer('playout'), actions: 'playoutStuck' },
    ],
  },
  states: {
    thinking: { always: [...leaving, { guard: 'isAudible', target: 'speaking' }] },
    speaking: { always: [...leaving, { guard: 'isInaudible', target: 'thinking' }] },
    paused: {
      entry: 'hold',
      always: [
        { guard: 'attendsMachine', target: '#call.floor.attending' },
        {
          guard: 'digitsInterrupt',
          target: '#call.floor.replying',
          reenter: true,
          actions: ['dropForKeys', 'answerDigits'],
        },
        { guard: 'isGone', target: '#call.floor.listening' },
        { guard: 'isConfirmed', target: '#call.floor.callerSpeaking', actions: 'interruptReply' },
        { guard: 'isUndone', target: 'thinking', actions: 'playOn' },
      ],
    },
  },
});

/** A caller who was bridged may key in a card's number for whoever asks for it, and nothing is said to them any more. */
const isAgentThere = not(stateIn({ floor: 'over' }));

/** Who speaks. */
export const floorRegion = callSetup.createStateConfig({
  initial: 'waiting',
  on: {
    'engine.over': { target: '.over', actions: 'fallSilent' },
    'tool.result': { actions: 'takeResult' },
    'knowledge.result': { actions: 'takeResult' },
    timer: [
      { guard: timer('initial_message'), actions: 'oweGreeting' },
      { guard: timer('dtmf'), actions: 'endEntry' },
      { guard: timer('busy'), actions: 'sayStillBusy' },
      { guard: timer('transcriber'), actions: 'keepListening' },
      { actions: 'takeResult' },
    ],
    'call.say': { actions: 'queueSaying' },
    'media.cleared': { actions: 'refineCut' },
    'media.dtmf': { guard: isAgentThere, actions: 'pressKey' },
    'transcriber.failed': { guard: isAgentThere, actions: 'keepListening' },
    'transcriber.ready': { guard: isAgentThere, actions: 'keepListening' },
  },
  states: {
    waiting: { on: { 'engine.talk': { target: 'listening', actions: 'beginTalk' } } },
    listening,
    callerSpeaking,
    attending,
    replying,
    /** The caller is being handed over; they hear what the other side plays, and what they say is still kept. */
    transferring: {
      on: {
        ...hearing('hear'),
        'transcriber.failed': { actions: 'keepListeningMeanwhile' },
        'control.transfer_succeeded': { actions: 'transferSucceeded' },
        'control.transfer_failed': [
          { guard: 'canBridgeInstead', actions: 'bridgeInstead' },
          { target: 'replying', actions: 'transferFailed' },
        ],
        timer: [
          { guard: timer('transfer'), target: 'replying', actions: 'transferFailed' },
          { guard: timer('transcriber'), actions: 'keepListeningMeanwhile' },
        ],
      },
    },
    over: { type: 'final' },
  },
});
