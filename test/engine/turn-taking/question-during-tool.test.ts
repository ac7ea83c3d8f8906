import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { Reply } from '../../../engine/core/state/playout-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import { asksDuringTool } from '../../../engine/turn-taking/question-during-tool.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { RUNNING_GENERATION } from './running-generation.ts';

const FILLER = 'One moment please, I am looking it up.';

/** The agent has said `FILLER`, and waits for a tool in silence; the user has said these words. */
function asks(words: string, reply: Partial<Reply> = {}, changes: Partial<CallContext> = {}): boolean {
  const step = ruleStep({}, 2_000);
  startReply(step, null);
  speakSegment(step, addAgentItem(step), FILLER);
  const segments = step.context.reply?.segments.map((segment) => ({
    ...segment,
    durationMs: 1_500,
    playout: { startedUs: 0, startMs: 0 },
    ended: true,
  }));
  changeReply(step, { requestPending: true, segments: segments ?? [], ...reply });
  const revision = { text: words, startMs: 1_500, endMs: 1_900, words: [], isFinal: true };
  const speech = revise(NO_SPEECH, revision, { activityStartMs: 1_500, wordErrorMs: 0 });
  const runningTools = [{ toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 }];
  step.change({ userTurn: { ...step.context.userTurn, speech }, runningTools, ...changes });
  return asksDuringTool(step.context, { type: 'call.offered', time: step.time });
}

describe('the user’s words while the agent waits for a tool in silence', () => {
  it.each(['Tomorrow.', 'And for two please?'])('are answered at once: %s', (words) => {
    expect(asks(words)).toBe(true);
  });

  it.each(['', 'Mhm.', 'Okay.', 'Um.', 'Well, let me see.', 'Thank you.', 'Okay, thanks.', 'I am looking it up'])(
    'need no answer if they are «%s»',
    (words) => {
      expect(asks(words)).toBe(false);
    },
  );

  it('are answered at once although the agent may not be interrupted', () => {
    expect(asks('Tomorrow.', { interruptible: false })).toBe(true);
  });

  it.each<[string, Partial<Reply>, Partial<CallContext>]>([
    ['no answer follows the tool', { requestPending: false }, {}],
    ['the model already answers', { generation: RUNNING_GENERATION }, {}],
    ['the tools of the reply have answered', {}, { runningTools: [] }],
    [
      'only a tool of an earlier reply runs',
      {},
      { runningTools: [{ toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 0, item: 1 }] },
    ],
    ['the end of the call is decided', {}, { decidedEnd: 'agent_hangup' }],
    ['the agent sends digits', {}, { outgoingDtmf: [{ toolCallId: 'a', name: 'keys', digits: '1', sent: false }] }],
  ])('wait if %s', (_case, reply, changes) => {
    expect(asks('Tomorrow.', reply, changes)).toBe(false);
  });

  it('wait while the filler is played', () => {
    const step = ruleStep();
    startReply(step, null);
    speakSegment(step, addAgentItem(step), FILLER);
    expect(asks('Tomorrow.', { segments: step.context.reply?.segments ?? [] })).toBe(false);
  });

  it('are answered while a tool of the reply and another one run', () => {
    const runningTools = [0, 1].map((reply) => ({
      toolCallId: `${reply}`,
      name: 'lookup',
      startedUs: 0,
      reply,
      item: 1,
    }));
    expect(asks('Tomorrow.', {}, { runningTools })).toBe(true);
  });
});

it('no words are a question during a tool without a reply', () => {
  expect(asks('Tomorrow.', {}, { reply: null })).toBe(false);
});
