import { AGENT_WITH_MESSAGE, outboundCall, speaksWithInterims } from '../answering-machine/outbound-call.ts';
import { Simulation } from '../simulation/simulation.ts';
import {
  type Draw,
  LONG_MESSAGE,
  type PlantedCall,
  type PlantedCause,
  pick,
  QUESTIONS,
  question,
  voiceActivity,
} from './planted-call.ts';

const GREETINGS = ['You have reached the office.', 'This is the mailbox of Anna.'];
const MENU = 'Welcome. For sales, press one. For support, press two.';
const NUMBER_PARTS = ['Zero three zero', 'Five five one', 'Four four two'];
const GERMAN_OPEN = ['Ich hätte gerne einen Tisch für', 'Ich rufe an, weil mein', 'Wir brauchen ein Zimmer mit'];

/** A sound of the user pauses the agent, and has no words. The transcriber reports words only after speech. */
function coughOverSpeech(draw: Draw): PlantedCall {
  const planted = question({ agent: {}, model: [{ text: LONG_MESSAGE }] }, draw);
  const fromS = planted.endS + 2;
  voiceActivity(planted.call, fromS, fromS + draw(2.2, 3.5));
  return { ...planted, atS: fromS + 1.6 };
}

/** The user breaks into the agent's speech, and breaks off. */
function interruptedAgent(draw: Draw): PlantedCall {
  const fromS = draw(1, 2.5);
  const call = new Simulation({ agent: { initial_message: LONG_MESSAGE } });
  voiceActivity(call, fromS, fromS + draw(1.6, 2.4)).interimAt(fromS + 0.5, fromS, 'But I');
  return { call, atS: fromS + 2.7 };
}

function secondDigit(draw: Draw): PlantedCall {
  const fromS = draw(1, 2);
  const call = new Simulation({ agent: {} }).userPresses(fromS, '4711', 0.9);
  return { call, atS: fromS + 3.2 };
}

/** The terminator or the last possible digit ends the entry. */
function slowAnswerToDigits(digits: string, draw: Draw): PlantedCall {
  const fromS = draw(1, 2);
  const agent = { dtmf: { max_digits: 3 } };
  const call = new Simulation({ agent, model: [{ after: draw(1.5, 3), text: 'Yes.' }] }).userPresses(fromS, digits);
  return { call, atS: fromS + 1 };
}

/** The agent has asked for a number, and the user has said a part of it. */
function awaitedNumber(draw: Draw): PlantedCall {
  const fromS = 4;
  const endS = fromS + draw(1, 2);
  const call = new Simulation({ agent: { initial_message: 'Hello. What is your phone number?' } });
  return { call: call.userSpeaks(fromS, endS, pick(NUMBER_PARTS, draw)), atS: endS + 0.6 };
}

function germanSentence(draw: Draw): PlantedCall {
  return question({ agent: { language: 'de' } }, draw, { texts: GERMAN_OPEN });
}

function silentMachine(draw: Draw): PlantedCall {
  const endS = draw(2.2, 4);
  const agent = { initial_message: 'Hello, this is Anna.' };
  const call = speaksWithInterims(
    outboundCall(agent),
    0.3,
    endS,
    `${pick(GREETINGS, draw)} Please leave a message after the tone.`,
  );
  return { call, atS: endS + 0.6 };
}

function menu(draw: Draw): PlantedCall {
  const endS = draw(4, 6);
  const call = speaksWithInterims(outboundCall({ initial_message: 'Hello, this is Anna.' }), 0.3, endS, MENU);
  return { call, atS: endS + 0.6 };
}

function delayedMessage(draw: Draw): PlantedCall {
  const agent = { initial_message: 'Hello.', initial_message_delay: Math.round(draw(2, 5)) };
  return { call: new Simulation({ agent }), atS: 1 };
}

/** The words of a sound repeat the agent's: the user has said nothing, and is asked. */
function echoOfTheAgent(draw: Draw): PlantedCall {
  const agent = {
    initial_message: 'Hello, who is calling us today?',
    presence_check_phrases: ['Are you still there?'],
    presence_check_idle_threshold: Math.round(draw(4, 8)),
  };
  const call = new Simulation({ agent });
  call.at(1.9, () => call.emitFinal(0.4, 1.6, 'Who is calling us today?'));
  return { call, atS: 4 };
}

function overSpeech(draw: Draw): PlantedCall {
  const states = [{ name: 'start', interruptible: false }];
  const agent = { initial_message: LONG_MESSAGE, initial_message_interruptible: false, states };
  const call = new Simulation({ agent, model: [{ after: draw(1.4, 3), text: 'Ten.' }] });
  call.userSpeaks(2, 3, 'But how much does it cost then?');
  return { call, atS: 6 };
}

function secondTransfer(draw: Draw): PlantedCall {
  const desk = { type: 'transfer_call' as const, name: 'desk', destination: '+49 30 111-111', mode: 'bridge' as const };
  const planted = question(
    {
      agent: { states: [{ name: 'start', tools: [{ ...desk, filler_sentence: 'I connect you.' }] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody answers there.' }],
      transfer: { after: draw(6, 15), succeeds: false },
    },
    draw,
  );
  return { ...planted, atS: planted.endS + 4 };
}

/** The transfer fails at its deadline, without a word of the other side. The next question has a slow answer. */
function slowAnswerAfterTransfer(draw: Draw): PlantedCall {
  const desk = { type: 'transfer_call' as const, name: 'desk', destination: '+49 30 111-111', mode: 'bridge' as const };
  const planted = question(
    {
      agent: { states: [{ name: 'start', tools: [{ ...desk, ring_timeout: 5 }] }] },
      model: [
        { toolCalls: [{ name: 'desk' }] },
        { text: 'Nobody answers there.' },
        { after: draw(1.5, 3), text: 'Yes.' },
      ],
    },
    draw,
  );
  const nextS = planted.endS + 25;
  return { call: planted.call.userSpeaks(nextS, nextS + 1, pick(QUESTIONS, draw)), atS: nextS + 1.5 };
}

/** The screening has connected the callee long before the end of its time. */
function slowAnswerAfterScreening(draw: Draw): PlantedCall {
  const agent = { ...AGENT_WITH_MESSAGE, call_purpose: 'Anna from the dentist, about Monday.' };
  const call = outboundCall(agent, { model: [{ after: draw(1.5, 3), text: 'Yes.' }] });
  speaksWithInterims(call, 0.5, 3, 'Please say your name and why you are calling.');
  call.userSpeaks(10, 10.5, 'Hello?').userSpeaks(15, 16, pick(QUESTIONS, draw));
  return { call, atS: 16.5 };
}

function lateProviderTurn(draw: Draw): PlantedCall {
  const traits = { detectsTurns: true, finalP99Ms: 4_000 };
  const call = voiceActivity(new Simulation({ agent: {}, parameters: { transcriberTraits: traits } }), 1, 2);
  const event = {
    type: 'turn',
    phase: 'updated',
    text: 'Is there a table?',
    words: [],
    startMs: 1_000,
    endMs: 2_000,
  } as const;
  call.at(draw(1.9, 2.2), () => call.emitTranscriberEvent(event));
  return { call, atS: 3 };
}

function silentAfterAnswer(draw: Draw): PlantedCall {
  const agent = {
    presence_check_phrases: ['Are you still there?'],
    presence_check_idle_threshold: Math.round(draw(4, 9)),
  };
  const planted = question({ agent, model: [{ text: 'Yes. What is your name?' }] }, draw);
  return { ...planted, atS: planted.endS + 5 };
}

function openCorrected(draw: Draw): PlantedCall {
  return question({ agent: { states: [{ name: 'start' }] } }, draw, {
    texts: ['My mail address is anna at', 'My name is spelled M A', 'It is A N N'],
  });
}

/** Waits of the call's rules, and actions of the user. */
export const PLANTED_WAITS: readonly PlantedCause[] = [
  { name: 'cough over the agent', cause: 'false_interruption', plant: coughOverSpeech },
  { name: 'user breaks in and off', cause: 'open_words', plant: interruptedAgent },
  { name: 'entry of several digits', cause: 'dtmf_entry', plant: secondDigit },
  {
    name: 'slow answer to an entry with a terminator',
    cause: 'model_slow',
    plant: (draw) => slowAnswerToDigits('12#', draw),
  },
  {
    name: 'slow answer to an entry of the most digits',
    cause: 'model_slow',
    plant: (draw) => slowAnswerToDigits('123', draw),
  },
  { name: 'slow answer after a transfer without a response', cause: 'model_slow', plant: slowAnswerAfterTransfer },
  { name: 'slow answer after a call screening', cause: 'model_slow', plant: slowAnswerAfterScreening },
  { name: 'part of the number that the agent asked for', cause: 'dictation', plant: awaitedNumber },
  { name: 'open German sentence', cause: 'open_words', plant: germanSentence },
  { name: 'spelling that may go on', cause: 'dictation', plant: openCorrected },
  { name: 'voicemail without a tone', cause: 'agent_waits', plant: silentMachine },
  { name: 'menu of a machine', cause: 'agent_waits', plant: menu },
  { name: 'delay of the initial message', cause: 'agent_waits', plant: delayedMessage },
  { name: 'echo of the agent', cause: 'user_silent', plant: echoOfTheAgent },
  { name: 'slow answer to words over uninterruptible speech', cause: 'model_slow', plant: overSpeech },
  { name: 'transfer that rings after its announcement', cause: 'transfer', plant: secondTransfer },
  { name: 'the transcriber’s missing end of turn', cause: 'provider_turn_end', plant: lateProviderTurn },
  { name: 'user who does not answer a question', cause: 'user_silent', plant: silentAfterAnswer },
];
