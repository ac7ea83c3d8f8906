import { afterEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../providers/openai/chat-emulator.ts';
import { textAnswer } from '../../../providers/openai/chat-script.ts';
import { runTestFile, scripted } from './test-folder.ts';

describe('a scripted conversation', () => {
  it('passes with one line of output if it meets its expectations', async () => {
    const { status, output } = await runTestFile(
      scripted(
        `      - expect: [{ text: Good day }]
      - user: A table on Monday
        model: [{ text: With pleasure., call: go_to_booking }, { call: find_slot, arguments: { day: monday } }, 'At ten?']
        extract: { party_size: 4 }
        expect:
          - { text: With pleasure. At ten? }
          - { tool: find_slot, arguments: { day: monday } }
          - { state: booking }
          - { variable: { party_size: 4, slot: '10:00' } }
      - hang_up: true
`,
        "    tools: { find_slot: { result: { slot: '10:00' } } }\n    end: caller_hangup\n",
      ),
    );
    expect(output).toBe('desk.test.yaml\n  ✓ one\n1 passed\n');
    expect(status).toBe(0);
  });

  it('prints a failure with the turn, the expected and actual values, and the whole course', async () => {
    const { status, output } = await runTestFile(
      scripted(
        `      - user: A table on Monday
        model: [{ call: go_to_booking }, { call: find_slot, arguments: { day: monday } }, 'Sorry, no.']
        expect:
          - text: /at ten/i
          - absent: { text: Sorry }
          - state: greeting
          - variable: { slot: '10:00' }
      - user: this is not said any more
`,
        '    tools: { find_slot: { status: 404, result: none } }\n',
      ),
    );
    expect(output).toBe(`desk.test.yaml
  ✗ one
      turn 1, user: A table on Monday
        expected text /at ten/i
        expected no text "Sorry"
        expected state greeting
        got: state booking
        expected variable {"slot":"10:00"}
        got: slot has no value
        what happened:
          user    A table on Monday
          state   greeting → booking
          tool    find_slot {"day":"monday"}
          tool    → failed: 404 The server refused with HTTP status 404. Its response: none
          agent   Sorry, no.
0 passed, 1 failed
`);
    expect(status).toBe(1);
  });

  it.each([
    [
      'a request beyond the script',
      '      - user: a\n',
      'the model was asked for answer 1 of this turn: «model» has no answer',
    ],
    [
      'unused answers',
      '      - user: a\n        model: [b, c, d]\n',
      '2 of the 3 answers of «model» were not asked for',
    ],
    [
      'a call that the state does not offer',
      '      - user: a\n        model: [{ call: find_slot }, b]\n',
      '«model» calls find_slot, and the agent offers bye, go_to_booking here',
    ],
    [
      'an extraction of an unknown variable',
      '      - user: a\n        model: [b]\n        extract: { c: 1 }\n',
      '«extract» has c, and the agent asks here for party_size',
    ],
    [
      'an extraction during a silence',
      '      - silence: 1\n        extract: { party_size: 1 }\n',
      '«extract» was not asked for',
    ],
    [
      'a turn after the end of the call',
      '      - hang_up: true\n      - user: a\n',
      'expected the call to continue; the call has ended: caller_hangup',
    ],
  ])('fails for %s', async (_fault, turns, reason) => {
    const { status, output } = await runTestFile(scripted(turns));
    expect(output).toContain(reason);
    expect(status).toBe(1);
  });

  it('fails if the call ends for another reason or does not end', async () => {
    const turns = '      - user: a\n        model: [{ call: bye }]\n';
    const otherEnd = await runTestFile(scripted(turns, '    end: silence\n'));
    expect(otherEnd.output).toContain('expected end silence\n        got: the call has ended: agent_hangup');
    const noEnd = await runTestFile(scripted('      - user: a\n        model: [b]\n', '    end: agent_hangup\n'));
    expect(noEnd.output).toContain('expected end agent_hangup\n        got: the call continues');
    expect([otherEnd.status, noEnd.status]).toEqual([1, 1]);
  });

  it('counts a silence from the end of the last words, in simulated time', async () => {
    const SILENCE_MS = 600_000;
    const startMs = performance.now();
    const { output } = await runTestFile(
      scripted(
        `      - silence: 9.9
        expect: [{ absent: { text: 'Hello?' } }]
      - silence: 0.2
        expect: [{ text: 'Hello?' }]
      - user: I am here
        model: [Good.]
      - silence: 600
        expect: [{ text: 'Hello?' }]
`,
        '    end: silence\n',
      ),
    );
    expect(output).toContain('1 passed');
    // Only simulated time passes during the longest silence.
    expect(performance.now() - startMs).toBeLessThan(SILENCE_MS);
  });

  it('treats DTMF digits as one entry, with and without the terminator', async () => {
    const { output } = await runTestFile(
      scripted(`      - dtmf: '12#'
        model: [First.]
        expect: [{ text: First. }]
      - dtmf: '34'
        model: [Second.]
        expect: [{ text: Second. }]
`),
    );
    expect(output).toContain('1 passed');
  });

  it('ends with a transfer that succeeds', async () => {
    const { output } = await runTestFile(
      scripted(
        `      - user: a human, please
        model: [{ call: go_to_booking }, { call: to_human }]
        expect: [{ tool: to_human }]
`,
        '    end: transferred\n',
      ),
    );
    expect(output).toContain('1 passed');
  });

  it('has the variables of the file, and prefers variables of the conversation', async () => {
    const yaml = scripted(
      '      - expect: [{ variable: { a: 2, b: 1, from_number: "+331" } }]\n',
      '    variables: { a: 2 }\n',
    );
    const { output } = await runTestFile(`from: '+331'\nvariables: { a: 1, b: 1 }\n${yaml}`);
    expect(output).toContain('1 passed');
  });

  it('accepts text in every script, and prints no control characters', async () => {
    const { output } = await runTestFile(
      scripted(
        '      - user: 我想订位 🍝 مرحبا\n        model: ["好的。\\e[31mred\\x07\\u202e"]\n        expect: [{ text: x }]\n',
      ),
    );
    expect(output).toContain('user    我想订位 🍝 مرحبا\n');
    expect(output).toContain('agent   好的。 \\u001b[31mred\\u0007\\u202e\n');
  });
});

describe('a conversation with the provider', () => {
  let emulator: OpenAiEmulator | null = null;
  afterEach(() => emulator?.close());

  it('waits for the provider’s answers, and prints the reason if there is none', async () => {
    emulator = await startOpenAiEmulator((_, nth) =>
      textAnswer(nth === 0 ? '{"party_size": 2}' : 'For two, then.', { firstTokenMs: 30 }),
    );
    const yaml = scripted(
      '      - user: two\n        expect: [{ text: two }, { variable: { party_size: 2 } }]\n',
    ).replace('model: script\n', '');
    const environment = { OPENAI_BASE_URL: emulator.baseUrl, OPENAI_API_KEY: emulator.apiKey };
    expect(await runTestFile(yaml, environment)).toEqual({ status: 0, output: 'desk.test.yaml\n  ✓ one\n1 passed\n' });

    const refused = await runTestFile(yaml, { ...environment, OPENAI_API_KEY: 'sk-another' });
    expect(refused.output).toMatch(/note {4}provider failed kind=language_model .*error="openai unauthorized \(401\)/);
    expect(refused.output).toMatch(/note {4}turn failed reason=llm_error detail="openai unauthorized \(401\)/);
    expect(refused.output).not.toContain('sk-another');
    expect(refused.status).toBe(1);
  });

  it('runs a function without a scripted result over HTTP, subject to the address policy', async () => {
    const { output } = await runTestFile(
      scripted(`      - user: a
        model: [{ call: go_to_booking }, { call: find_slot, arguments: { day: monday } }, No.]
        expect: [{ text: Yes }]
`),
    );
    expect(output).toContain('tool    → failed: The request failed: its address is not allowed.');
  });
});
