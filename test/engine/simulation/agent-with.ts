import type { z } from 'zod';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';

/** An agent's configuration as users write it, all fields optional. */
export type AgentOverrides = Partial<z.input<typeof agentConfigurationSchema>>;

const DEFAULT_AGENT = {
  voice: { provider: 'test', name: 'voice' },
  llm: { provider: 'test', model: 'model' },
  transcriber: { provider: 'test' },
  states: [{ name: 'start' }],
  initial_state_name: 'start',
};

/** A valid agent of one state, with these fields replaced. */
export function agentWith(overrides: AgentOverrides): AgentConfiguration {
  return agentConfigurationSchema.parse({ ...DEFAULT_AGENT, ...overrides });
}

export const CALL_PARAMETERS: CallParameters = {
  callId: '00000000-0000-4000-8000-000000000001',
  agentId: '00000000-0000-4000-8000-000000000002',
  agentVersion: 1,
  direction: 'inbound',
  fromNumber: '+4930123456',
  toNumber: '+4930654321',
  dynamicVariables: {},
  startedWallMs: Date.parse('2026-03-01T10:00:00Z'),
  transcriberTraits: { detectsTurns: false, finalP99Ms: 400 },
};
