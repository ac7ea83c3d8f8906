import { expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent.ts';
import type { CallProviders } from '../../../../src/calls/providers/call-providers.ts';
import { withFailoverLog } from '../../../../src/calls/providers/provider-failover-log.ts';

const PROVIDERS: CallProviders = {
  model: { generate: () => ({ cancel() {} }) },
  voice: { open: () => ({ speak() {}, cancel() {}, close() {} }) },
  transcriber: {
    traitsOf: () => ({ detectsTurns: false, finalP99Ms: 500 }),
    open: () => ({ write() {}, finalize() {}, close() {} }),
  },
  fallbackTranscriberTraits: [],
  modelLatencies: [],
  voiceFirstAudioP99Ms: [],
};

it('logs each failover once, and no provider change that a state of the agent configures', () => {
  const lines: unknown[] = [];
  const agent = agentConfigurationSchema.parse({
    voice: { provider: 'deepgram', name: 'aura' },
    llm: { provider: 'openai', model: 'a' },
    transcriber: { provider: 'deepgram' },
    fallbacks: { llm: [{ provider: 'openai', model: 'c' }] },
    states: [{ name: 'start', prompt: 'Greet.' }],
    initial_state_name: 'start',
  });
  const { model } = withFailoverLog(PROVIDERS, agent, {
    warn: (fields, event) => void lines.push({ event, ...fields }),
  });
  const request = { provider: 'openai', messages: [], functions: [] };
  for (const name of ['a', 'b', 'a', 'c', 'c', 'a']) model.generate({ ...request, model: name }, () => {});
  expect(lines).toEqual([{ event: 'provider failed over', kind: 'language_model', from: 'openai a', to: 'openai c' }]);
});
