import { describe, expect, it } from 'vitest';
import { outboundCall, speaksWithInterims } from '../answering-machine/outbound-call.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Simulation } from '../simulation/simulation.ts';

const ANNOUNCEMENT = 'This call is recorded.';
const GREETING = 'Hello, this is Anna.';
const PURPOSE = 'Anna from the dentist, about Monday.';
const CONSENT = { announcement: ANNOUNCEMENT };
const SCREENING = 'Please say your name and why you are calling.';
const VOICEMAIL = 'I am not available. Please leave a message after the tone, or press one to stop recording.';

const answers = (call: Simulation) => call.journalEntries('consent').map(({ consent }) => consent);

/** The call screening asks from 0.5 to 3 s, and the callee is connected at 14 s. */
function screenedCall(agent: object): Simulation {
  const call = outboundCall({ recording_consent: CONSENT, ...agent });
  return speaksWithInterims(call, 0.5, 3, SCREENING).userSpeaks(14, 14.5, 'Hello?');
}

describe('the announcement of the recording', () => {
  it('is said to the callee behind a call screening, without an initial message', () => {
    const call = screenedCall({ initial_message: '', call_purpose: PURPOSE }).hangUpAt(25).runUntil(28);
    expect(call.heardTexts).toEqual([PURPOSE, ANNOUNCEMENT]);
    expect(answers(call)).toEqual(['given']);
    expectReplay(call);
  });

  it('is said to the callee behind a call screening that the model has answered', () => {
    const call = screenedCall({ initial_message: '' }).hangUpAt(25).runUntil(28);
    expect(call.heardTexts).toEqual(['Yes.', ANNOUNCEMENT]);
    expectReplay(call);
  });

  it('is said again to the callee if the call screening has heard it', () => {
    const call = outboundCall({ initial_message: GREETING, recording_consent: CONSENT });
    speaksWithInterims(call, 5, 8, SCREENING).userSpeaks(18, 18.5, 'Hello?').hangUpAt(28).runUntil(30);
    expect(call.heardTexts.filter((text) => text === ANNOUNCEMENT)).toHaveLength(2);
    expect(answers(call).at(-1)).toBe('given');
    expectReplay(call);
  });
});

describe('a voicemail', () => {
  it('that has heard the announcement gives no consent, and its words refuse nothing', () => {
    const call = outboundCall({ initial_message: GREETING, recording_consent: CONSENT });
    speaksWithInterims(call, 4, 10, VOICEMAIL).hangUpAt(20).runUntil(23);
    expect(call.heardTexts[0]).toBe(ANNOUNCEMENT);
    expect(answers(call)).toEqual([]);
    expectReplay(call);
  });

  it('takes back a consent that its first words gave', () => {
    const call = outboundCall({ initial_message: GREETING, recording_consent: CONSENT });
    call.userSpeaks(4, 4.8, 'Hello there.');
    speaksWithInterims(call, 9, 13, VOICEMAIL).hangUpAt(20).runUntil(23);
    expect(answers(call)).toEqual(['given', 'not_asked']);
    expectReplay(call);
  });

  it('is not judged as the call ends during its greeting', () => {
    const call = outboundCall({ initial_message: GREETING, recording_consent: CONSENT });
    speaksWithInterims(call, 4, 10, VOICEMAIL).hangUpAt(10.5).runUntil(13);
    expect(answers(call)).toEqual([]);
  });
});
