import { expect, it } from 'vitest';
import { onPlayoutEvent } from '../../../engine/playout/playout.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, changeAgentItem } from '../../../engine/transcript/history.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { Simulation } from '../simulation/simulation.ts';

const REDACTED = { redaction: { entities: ['card' as const], audio: 'tone' as const } };
const WORDS = [
  { text: 'My', startMs: 1_000, endMs: 1_400 },
  { text: 'card', startMs: 1_500, endMs: 2_000 },
];

function callOf(agent: object): Simulation {
  return new Simulation({ agent, model: [{ text: 'I noted it. Is there anything else?' }] })
    .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
    .at(2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_000 }))
    .at(2.3, (call) =>
      call.emitTranscriberEvent({ type: 'final', text: 'My card', words: WORDS, startMs: 1_000, endMs: 2_000 }),
    )
    .runUntil(20);
}

it('with redaction.audio entries have the times of each word of the user and each segment of the agent', () => {
  const call = callOf(REDACTED);
  const user = call.transcript.find(({ role }) => role === 'user');
  expect(user).toMatchObject({ spoken: WORDS.map(({ text, ...times }) => ({ content: text, ...times })) });
  const agent = call.transcript.find(({ role }) => role === 'agent');
  if (agent?.role !== 'agent') throw new Error('the agent said nothing');
  const [first, second] = agent.spoken ?? [];
  expect(first).toMatchObject({ content: 'I noted it.', startMs: agent.startUs / 1000 });
  expect(second).toMatchObject({ content: 'Is there anything else?', endMs: (agent.endUs ?? 0) / 1000 });
  expect(second?.startMs).toBe(first?.endMs);
  expectReplay(call);
});

it('they stay whole if the peer sends no packets before the answer', () => {
  const call = new Simulation({ agent: REDACTED, model: [{ after: 0.5, text: 'I noted it.' }] });
  for (let atMs = 20; atMs <= 2_200; atMs += 20) call.at(atMs / 1000, ({ media }) => media.receive(20));
  call
    .at(1, ({ media }) => media.emit({ type: 'speech_started', audioMs: 1_000 }))
    .at(2, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 2_000 }))
    .at(2.3, () =>
      call.emitTranscriberEvent({ type: 'final', text: 'My card', words: WORDS, startMs: 1_000, endMs: 2_000 }),
    )
    .runUntil(20);
  expect(call.heardTexts).toEqual(['I noted it.']);
  expect(call.transcript.find(({ role }) => role === 'user')).toMatchObject({
    spoken: WORDS.map(({ text, ...times }) => ({ content: text, ...times })),
    startUs: 1_000_000,
    endUs: 2_000_000,
  });
  expectReplay(call);
});

it('a segment whose audio stalled ends when its last sample has left', () => {
  const endedMs = 12_000;
  const step = ruleStep({ agent: agentWith(REDACTED) }, endedMs, {
    type: 'media.segment_ended',
    utterance: 1,
    segment: 1,
    playedMs: 1_000,
  });
  startReply(step, null);
  const item = addAgentItem(step);
  changeAgentItem(step, item, { text: 'I noted it.' });
  const segment = { number: 1, item, text: 'I noted it.', interruptible: true, requestedUs: 9_000_000, words: [] };
  const played = { voiceStartedUs: 9_900_000, durationMs: 1_000, playout: { startedUs: 10_000_000, startMs: 0 } };
  changeReply(step, { segments: [{ ...segment, ...played, ended: false }] });
  onPlayoutEvent(step);
  const [written] = issuedCommands(step).filter(({ type }) => type === 'journal.write');
  expect(written).toMatchObject({
    entry: { entry: { spoken: [{ startMs: 10_000, endMs: endedMs, content: 'I noted it.' }] } },
  });
});

it('without it entries have no times of words', () => {
  expect(JSON.stringify(callOf({ redaction: { entities: ['card'] } }).transcript)).not.toContain('spoken');
});
