import { expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** From one digit to the next one, in seconds. */
const DIGIT_S = 1.2;
const DIGITS = [...'03012345678'];

it.each([
  ['asks for it without a question mark', { initial_message: 'Please tell me your phone number.' }],
  ['wants it for a variable', { initial_message: 'Go ahead.', variables: [{ name: 'phone_number' }] }],
])('a number of single digits is one turn if the agent %s', (_case, agent) => {
  const call = new Simulation({ agent });
  for (const [index, digit] of DIGITS.entries()) {
    const from = 4 + index * DIGIT_S;
    call.userSpeaks(from, from + 0.2, `${digit}.`);
  }
  call.runUntil(30);
  expect(call.dialogue.slice(1)).toEqual([`user: ${DIGITS.map((digit) => `${digit}.`).join(' ')}`, 'agent: Yes.']);
});
