import { describe, expect, it } from 'vitest';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import {
  AGENT_WITH_MESSAGE,
  answerTypes,
  END_SILENCE_MS,
  heardStarts,
  INITIAL_MESSAGE,
  outboundCall,
  SCREENING_WAIT_MS_MAX,
  speaksWithInterims,
} from './outbound-call.ts';

const SCREENING_END_MS = 3_000;
const SCREENING_OVER_MS = SCREENING_END_MS + END_SILENCE_MS.call_screening;
const PURPOSE = 'Anna from the dentist, about Monday.';

/** The call screening asks from 0.5 s to `SCREENING_END_MS`. */
function screenedCall(agent: Parameters<typeof outboundCall>[0]) {
  const question = 'Please say your name and why you are calling.';
  return speaksWithInterims(outboundCall(agent), 0.5, SCREENING_END_MS / 1000, question);
}

describe('call screening', () => {
  it('states the purpose of the call to the screening, and says the initial message to the connected callee', () => {
    const call = screenedCall({ ...AGENT_WITH_MESSAGE, call_purpose: PURPOSE });
    call.userSpeaks(7, 8, 'Please hold.').userSpeaks(14, 14.5, 'Hello?').runUntil(18);
    expect(answerTypes(call)).toEqual([['call_screening', 2_500]]);
    expect(heardStarts(call)).toEqual([
      [PURPOSE, SCREENING_OVER_MS + VOICE_MS],
      [INITIAL_MESSAGE, 14_500 + FINAL_MS + VOICE_MS],
    ]);
    expect(call.modelRequests).toEqual([]);
  });

  it('says the initial message if the agent has no purpose', () => {
    const fromMs = SCREENING_OVER_MS + VOICE_MS;
    expect(screenedCall(AGENT_WITH_MESSAGE).runUntil(6).heard).toEqual([
      { text: INITIAL_MESSAGE, fromMs, toMs: fromMs + 1_000 },
    ]);
  });

  it('asks the model if the agent has neither', () => {
    const call = screenedCall({}).runUntil(6);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('is being screened');
    expect(call.heard[0]?.text).toBe('Yes.');
  });

  it('leaves the message when the screening connects to a voicemail', () => {
    const call = screenedCall({ ...AGENT_WITH_MESSAGE, call_purpose: 'Anna.' });
    call.userSpeaks(7, 9, 'Please leave a message after the tone.');
    call.at(10, () => call.emitTone(9.4, 9.8)).runUntil(20);
    expect(answerTypes(call).map(([type]) => type)).toEqual(['call_screening', 'voicemail']);
    expect(call.heardTexts).toEqual(['Anna.', 'This is Anna.', 'Please call us back.']);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('says the initial message after a minute of silence', () => {
    const call = screenedCall({ ...AGENT_WITH_MESSAGE, call_purpose: 'Anna.' }).runUntil(80);
    expect(heardStarts(call)).toEqual([
      ['Anna.', SCREENING_OVER_MS + VOICE_MS],
      [INITIAL_MESSAGE, SCREENING_OVER_MS + SCREENING_WAIT_MS_MAX + VOICE_MS],
    ]);
  });
});
