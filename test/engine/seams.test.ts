import { describe, expect, it } from 'vitest';
import { Simulation } from './simulate.ts';

/** What lies between two subjects: each of these was a fault that the tests of neither showed. */

const GONE = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const NEVER = { never: true } as const;

function soundAt(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, (one) => one.media.tell({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, (one) => one.media.tell({ type: 'speech_stopped', audioMs: to * 1000 }));
}

describe('a reply that is there already', () => {
  it('is not replaced by the answer to a turn: a caller whom nobody can hear any more is handed over', () => {
    const call = new Simulation({
      agent: { on_provider_failure: { action: 'transfer', destination: '+4930999999' } },
      transfer: { after: 1, succeeds: true },
      transcriber: [{}, NEVER, NEVER, NEVER],
    });
    soundAt(call, 0.5, 1.5)
      .interim(1.4, 0.5, 'I want a table')
      .at(1.6, (one) => one.hear({ type: 'failed', error: GONE }))
      .run(60);
    expect(call.lines).toContain('user: I want a table');
    expect(call.requests).toEqual([]);
    expect(call.endedWith).toBe('transferred');
  });

  it('is not replaced by a text of the API’s: both are said, the greeting first', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' } });
    call.call.post({ type: 'call.say', text: 'By the way.', interrupt: false });
    call.run(20);
    expect(call.lines).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });

  it('is not replaced by a text that waited for a noise: both are said, the greeting first', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' }, facts: { direction: 'outbound' } })
      .at(0, (one) => one.leg({ type: 'answered' }))
      .at(1.5, (one) => one.call.post({ type: 'call.say', text: 'By the way.', interrupt: false }));
    soundAt(call, 0.5, 9).run(30);
    expect(call.lines).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });
});

describe('the initial message', () => {
  const delayed = { initial_message: 'Hello.', initial_message_delay: 2 };

  it('whose moment comes during a noise is said behind it', () => {
    const call = soundAt(new Simulation({ agent: delayed }), 1.9, 2.1).run(60);
    expect(call.lines).toEqual(['agent: Hello.']);
    expect(call.heard[0]?.fromMs).toBeLessThan(4_000);
  });

  it('whose moment comes while something else is said follows it', () => {
    const call = new Simulation({ agent: delayed })
      .at(1.9, (one) => one.call.post({ type: 'call.say', text: 'By the way.', interrupt: false }))
      .run(60);
    expect(call.lines).toEqual(['agent: By the way.', 'agent: Hello.']);
  });

  it('whose moment comes during words is their answer, and said once', () => {
    const call = new Simulation({ agent: delayed }).callerSpeaks(1.5, 2.5, 'Good morning.').run(60);
    expect(call.lines).toEqual(['user: Good morning.', 'agent: Hello.']);
    expect(call.requests).toEqual([]);
  });

  it('of a call that we placed comes where the words that held it turn out to be none', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' }, facts: { direction: 'outbound' } })
      .at(0, (one) => one.leg({ type: 'answered' }))
      .interim(0.9, 0.6, 'uh')
      .at(1.4, (one) => one.final(0.6, 1.2, ''))
      .run(60);
    expect(call.lines).toEqual(['agent: Hello.']);
  });
});
